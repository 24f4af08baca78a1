#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weir/env/api/env.h"
#include "weir/env/sim/io_call.h"

namespace weir::sim {

class World;

// One process on a World: an Env for an engine, until it is cut off.
//
//   sim::Process process(world);
//   auto engine = std::make_unique<Engine>(process.env());
//   world.run([&] { return engine->is_finished(); });
//   process.cut();                          // kill -9
//   engine.reset();                         // its destructors meet only errors
//   world.disk().crash(CrashMode::kRandom); // or the power went too
//
// Work on the I/O pool and steps of own_thread() Runnables may wait in file calls, and only there:
// what waits for a lock or a condition waits for ever, since there is one real thread.
//
//   Thread  the World's
class Process {
 public:
  explicit Process(World& world);
  // Cuts it. Where work may still wait in a file call, cut() it before what that work refers to
  // goes. All that was built over the Env is gone by now. Not from one of its own fibers.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  env::Env env();
  ProcessId id() const;

  // From here on every file call fails (kUnavailable, "the process is gone") and has no effect,
  // nothing is stepped, wakers do nothing, locks are free. What waits in a file call gets its error
  // and runs to its end: at once, or where this is called from within a step, a piece of work or a
  // file call, right after that event.
  void cut();
  bool is_cut() const;
  // Names of the Runnables that have not returned kDone.
  std::vector<std::string> unfinished() const;

 private:
  friend class World;
  struct Parts;

  void unwind();

  std::unique_ptr<Parts> parts_;
};

}  // namespace weir::sim
