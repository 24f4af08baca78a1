#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weir/env/sim/fault.h"
#include "weir/env/sim/internal/event_loop.h"
#include "weir/env/sim/sim_disk.h"
#include "weir/env/sim/sim_options.h"
#include "weir/env/sim/trace.h"

namespace weir::sim {

class Process;

// What a World is made of, as the parts of its Processes see it.
struct Machine {
  Machine(std::uint64_t seed, const SimOptions& how)
      : options(how),
        random(seed),
        loop(random.fork()),
        trace(loop.now()),
        disk(options, loop.now(), random.fork(), [this](Fault fault) { report(fault); }) {}

  // A fault has struck.
  void report(Fault fault) {
    trace.record("fault", name_of(fault));
    if (on_fault) on_fault(fault);
  }

  SimOptions options;
  Random random;  // Forked for each part, so that one part's draws do not move another's.
  EventLoop loop;
  Trace trace;
  SimDisk disk;
  std::string console;              // What all its Processes have printed.
  std::vector<Process*> processes;  // Alive, in order of creation.
  std::uint32_t processes_made = 0;
  std::function<void(Fault)> on_fault;
};

// What the parts of one Process share.
struct Life {
  Machine& machine;
  ProcessId id;
  bool is_cut = false;
};

}  // namespace weir::sim
