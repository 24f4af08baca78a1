#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "weir/base/id.h"
#include "weir/protocol/checkpoint/checkpoint_plan.h"

namespace weir::checkpoint {

// How far each Subtask of the current attempt has come, and what follows from it for checkpoints:
// whether one may be triggered, where its barriers begin, whom it awaits, whether a final one is
// due.
//
//   Shape   deployed -> running -> at end -> FINISHED; a Subtask never goes back within an attempt
//   Thread  none of its own: a part of the CheckpointCoordinator
class TaskRoster {
 public:
  explicit TaskRoster(const CheckpointPlan& plan);

  // Everything is deployed anew; messages of earlier attempts are of no account from here on.
  void begin(AttemptId attempt);
  // Whether a message speaks of a Subtask of the plan in the current attempt.
  bool is_current(const ExecutionId& execution) const;

  // Each says whether that was news.
  bool on_running(TaskId task) { return advance(task, Phase::kRunning); }
  bool on_reached_end(TaskId task) { return advance(task, Phase::kAtEnd); }
  bool on_finished(TaskId task) { return advance(task, Phase::kFinished); }
  // A snapshot that the Subtask took at its end is in a completed checkpoint.
  void on_covered(TaskId task) { covered_.insert(task); }

  // Every Subtask runs or has FINISHED, and somebody is left.
  bool may_trigger() const;
  bool anyone_left() const;
  // Every Subtask that is not FINISHED has consumed everything, and one of them still needs a
  // completed checkpoint to finish.
  bool needs_final() const;

  // Those that run and whose senders have all FINISHED: the sources, at first.
  std::vector<ExecutionId> to_trigger() const;
  std::set<TaskId> unfinished() const { return in_phase(false); }
  std::set<TaskId> finished() const { return in_phase(true); }

 private:
  enum class Phase : std::uint8_t { kDeployed, kRunning, kAtEnd, kFinished };

  bool advance(TaskId task, Phase phase);
  bool senders_finished(TaskId task) const;
  std::set<TaskId> in_phase(bool finished) const;

  std::map<TaskId, std::vector<TaskId>> senders_;
  std::map<TaskId, Phase> phases_;
  std::set<TaskId> covered_;
  AttemptId attempt_{};
};

}  // namespace weir::checkpoint
