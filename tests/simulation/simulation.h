#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "tests/simulation/phases.h"
#include "tests/simulation/reached.h"
#include "tests/simulation/run_plan.h"
#include "tests/simulation/workload.h"
#include "tests/support/sim_engine.h"
#include "weir/env/sim/world.h"

namespace weir::simulation {

// How a run went.
struct Verdict {
  std::string failure;  // empty: as it must
  std::uint64_t trace_hash = 0;
  std::uint64_t file_calls = 0;        // of all lives
  std::uint64_t records_replayed = 0;  // read more than once by the sources
  Reached reached;
};

// Runs one plan: lives of a process one after the other on one machine, each ended by its death, by a failed job or by the
// end of the job; while faults may strike, nothing wrong may ever be visible; when they have stopped, everything
// must become visible.
//
//   Thread  one; one run at a time in a process
class Simulation {
 public:
  explicit Simulation(RunPlan plan);
  ~Simulation();

  // Gets each event of the trace as a line.
  void listen(std::function<void(std::string_view)> listener);
  Verdict run();

 private:
  enum class LifeEnd { kFinished, kEndedBadly, kDied, kTimeUp };
  LifeEnd live(std::size_t number, const Death* death);
  Status begin_life(test::SimEngine& life, std::size_t number);
  LifeEnd judge(test::SimEngine& life, const Status& started, const sim::RunResult& ran);
  void let_end(test::SimEngine& life, const Death& death);
  void follow(std::string_view event, std::string_view line);
  void check_safety(const char* when);
  // Without checkpoints a failure means to begin anew: then output is at least once.
  Repeats repeats() const {
    return plan_.has_checkpoints() || restarts_ == 0 ? Repeats::kForbidden : Repeats::kAllowed;
  }
  bool failed() const { return !verdict_.failure.empty(); }

  const RunPlan plan_;
  sim::World world_;
  PhaseWatcher watcher_;
  const std::unique_ptr<Workload> workload_;
  const Lines expected_;
  Verdict verdict_;
  bool may_throw_ = true;
  bool has_deployed_ = false;       // in this life
  std::uint64_t restarts_ = 0;      // within a process
  std::set<std::string> ids_used_;  // checkpoint=N of every checkpoint that was ever triggered
  std::uint64_t records_read_ = 0;  // by all attempts that are over
  std::string standstill_;          // what every Subtask waited for when the time was up
};

}  // namespace weir::simulation
