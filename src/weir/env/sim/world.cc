#include "weir/env/sim/world.h"

#include "weir/base/check.h"
#include "weir/env/sim/internal/machine.h"
#include "weir/env/sim/process.h"

namespace weir::sim {

World::World(std::uint64_t seed, const SimOptions& options)
    : machine_(std::make_unique<Machine>(seed, options)) {}

World::~World() { WEIR_CHECK(machine_->processes.empty()); }

RunResult World::run(const std::function<bool()>& condition, Instant limit) {
  EventLoop& loop = machine_->loop;
  for (;;) {
    if (condition()) return result(RunResult::Why::kCondition);
    if (loop.is_empty()) return result(RunResult::Why::kNothingLeft);
    if (loop.next_at() > limit) {
      loop.pass_until(std::max(limit, loop.now()));
      return result(RunResult::Why::kTimeLimit);
    }
    loop.run_next();
    for (std::size_t i = 0; i < machine_->processes.size(); ++i)
      if (machine_->processes[i]->is_cut()) machine_->processes[i]->unwind();
  }
}

RunResult World::run(Instant limit) {
  return run([] { return false; }, limit);
}

void World::at(Instant when, std::function<void()> what) {
  machine_->loop.post(ProcessId{0}, when, std::move(what));
}

void World::on_fault(std::function<void(Fault)> hook) { machine_->on_fault = std::move(hook); }

void World::stop_faults() {
  SimOptions& options = machine_->options;
  options.read_error_one_in = 0;
  options.write_error_one_in = 0;
  options.sync_error_one_in = 0;
  options.name_error_one_in = 0;
  options.disk_full_one_in = 0;
  machine_->disk.end_full();
  machine_->trace.record("faults stop", "");
}

Instant World::now() const { return machine_->loop.now(); }
const std::string& World::console() const { return machine_->console; }
SimDisk& World::disk() { return machine_->disk; }
Trace& World::trace() { return machine_->trace; }
const SimOptions& World::options() const { return machine_->options; }
Random World::fork_random() { return machine_->random.fork(); }

RunResult World::result(RunResult::Why why) const {
  RunResult result{.why = why, .unfinished = {}};
  for (const Process* process : machine_->processes) {
    if (process->is_cut()) continue;
    for (auto& name : process->unfinished()) result.unfinished.push_back(std::move(name));
  }
  return result;
}

}  // namespace weir::sim
