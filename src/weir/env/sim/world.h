#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weir/env/sim/fault.h"
#include "weir/env/sim/sim_disk.h"
#include "weir/env/sim/sim_options.h"
#include "weir/env/sim/trace.h"

namespace weir::sim {

struct Machine;

// Why World::run() came back.
struct RunResult {
  enum class Why : unsigned char {
    kCondition,    // what was waited for is true
    kTimeLimit,    // the time is up
    kNothingLeft,  // no event is left: all is done, or all that is not waits for ever
  };
  Why why;
  // Runnables of processes that are not cut which have not returned kDone. With kNothingLeft these
  // are deadlocked.
  std::vector<std::string> unfinished;
};

// A simulated machine: time, a disk, and the Processes that run on it. All that is left to chance
// is drawn from the seed, and no decision depends on an address, a hash table's order or the real
// time: the same seed, options and calls give the same run, and the same trace().hash().
//
//   sim::World world(seed, sim::draw_profile(seed));
//   log::set_sink(&world.trace());
//   sim::Process process(world);
//   … build an engine over process.env() …
//   const auto result = world.run([&] { return done; }, Instant{} + Duration::seconds(60));
//
//   Shape   time begins at Instant{0}. Processes are destroyed before their World
//   Thread  one, the same for everything in it
class World {
 public:
  explicit World(std::uint64_t seed, const SimOptions& options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Lets things happen until `condition` holds, which is asked before each event, or the next event
  // lies beyond `limit`, or nothing is left. Not from within an event.
  RunResult run(const std::function<bool()>& condition, Instant limit = Instant::never());
  // Until nothing is left or the time is up.
  RunResult run(Instant limit = Instant::never());

  // Calls `what` when its time has come: a crash, a look at the output, an end of faults.
  void at(Instant when, std::function<void()> what);
  // Called whenever a fault strikes, to count which have been met, and when.
  void on_fault(std::function<void(Fault)> hook);
  // The faults of the options occur no more, but for what only delays, and a full disk has room
  // again: the liveness phase.
  void stop_faults();

  Instant now() const;
  SimDisk& disk();
  // What its Processes have printed, oldest first.
  const std::string& console() const;
  Trace& trace();
  const SimOptions& options() const;
  // Another generator from the seed, for a test's own draws.
  Random fork_random();

  // For Process.
  Machine& machine() { return *machine_; }

 private:
  RunResult result(RunResult::Why why) const;

  const std::unique_ptr<Machine> machine_;
};

}  // namespace weir::sim
