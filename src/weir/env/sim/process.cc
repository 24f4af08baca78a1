#include "weir/env/sim/process.h"

#include <algorithm>

#include "weir/base/check.h"
#include "weir/env/sim/internal/machine.h"
#include "weir/env/sim/internal/sim_executor.h"
#include "weir/env/sim/internal/sim_file_system.h"
#include "weir/env/sim/internal/sim_io_pool.h"
#include "weir/env/sim/world.h"

namespace weir::sim {
namespace {

class SimClock final : public env::Clock {
 public:
  SimClock(Machine& machine, Random random) : machine_(machine), random_(random) {}

  Instant now() const override { return machine_.loop.now(); }

  WallTime wall() const override {
    const SimOptions& options = machine_.options;
    if (random_.one_in(options.wall_step_one_in)) {
      step_ms_ =
          random_.between(-options.wall_step_max.to_millis(), options.wall_step_max.to_millis());
      machine_.report(Fault::kWallStep);
    }
    return {options.wall_start.unix_ms + now().ns / 1'000'000 + step_ms_};
  }

 private:
  Machine& machine_;
  // A reading may move the clock: somebody else set it meanwhile.
  mutable Random random_;
  mutable std::int64_t step_ms_ = 0;
};

class SimEntropy final : public env::Entropy {
 public:
  explicit SimEntropy(Random random) : random_(random) {}
  std::uint64_t bits() override { return random_.next(); }

 private:
  Random random_;
};

class SimConsole final : public env::Console {
 public:
  explicit SimConsole(Life& life) : life_(life) {}

  Status write(std::string_view lines) override {
    if (life_.is_cut) return Error{Code::kUnavailable, "write to the console: the process is gone"};
    life_.machine.trace.record("console", "", lines.size());
    life_.machine.console += lines;
    return ok();
  }

 private:
  Life& life_;
};

}  // namespace

struct Process::Parts {
  Parts(Machine& machine, ProcessId id)
      : life{.machine = machine, .id = id},
        clock(machine, machine.random.fork()),
        entropy(machine.random.fork()),
        files(life, machine.random.fork()),
        executor(life, machine.random.fork()),
        io(life, machine.random.fork()),
        console(life) {}

  Life life;
  bool is_unwound = false;
  SimClock clock;
  SimEntropy entropy;
  SimFileSystem files;
  SimExecutor executor;
  SimIoPool io;
  SimConsole console;
};

Process::Process(World& world) {
  Machine& machine = world.machine();
  parts_ = std::make_unique<Parts>(machine, ProcessId{++machine.processes_made});
  machine.processes.push_back(this);
  machine.trace.record("process", "", id().value);
}

Process::~Process() {
  cut();
  unwind();
  std::erase(parts_->life.machine.processes, this);
}

env::Env Process::env() {
  return {parts_->clock,    parts_->entropy, parts_->files,
          parts_->executor, parts_->io,      parts_->console};
}

ProcessId Process::id() const { return parts_->life.id; }
bool Process::is_cut() const { return parts_->life.is_cut; }
std::vector<std::string> Process::unfinished() const { return parts_->executor.unfinished(); }

void Process::cut() {
  if (std::exchange(parts_->life.is_cut, true)) return;
  Machine& machine = parts_->life.machine;
  machine.trace.record("cut", "", id().value);
  machine.disk.unlock_all(id());
  if (!machine.loop.is_busy()) unwind();
}

void Process::unwind() {
  if (std::exchange(parts_->is_unwound, true)) return;
  parts_->io.clear();
  parts_->life.machine.loop.abandon(id());
}

}  // namespace weir::sim
