#pragma once

#include <signal.h>

#include <functional>
#include <thread>

#include "weir/base/result.h"

namespace weir::env {

// While it lives, writing to a pipe that nobody reads is an error, and no signal that ends the process.
//
//   Thread  one at a time in a process, or nested
class BrokenPipesAreErrors {
 public:
  BrokenPipesAreErrors();
  ~BrokenPipesAreErrors();
  BrokenPipesAreErrors(const BrokenPipesAreErrors&) = delete;
  BrokenPipesAreErrors& operator=(const BrokenPipesAreErrors&) = delete;

 private:
  struct sigaction before_;
};

// Turns SIGINT and SIGTERM into a call, once: the first of them calls `on_signal` with its number,
// on a thread of its own that may lock, log and wait; any second one ends the process at once with
// status 128 + number. SIGPIPE and SIGXFSZ are ignored from here on, so that a reader that went away
// and a file that may not grow further (ulimit -f) are errors of write(2).
//
// What was installed before is put back by the destructor, which waits for a callback that is
// running.
//
//   Shape   at most one lives at a time
//   Errors  kExhausted where no pipe can be had
//   Thread  open and destroy on one thread
class Signals {
 public:
  static Result<std::unique_ptr<Signals>> open(std::function<void(int)> on_signal);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  Signals(std::function<void(int)> on_signal, int read_end, int write_end);
  void await();

  const std::function<void(int)> on_signal_;
  const int read_end_;
  const int write_end_;
  const BrokenPipesAreErrors pipes_;
  std::thread thread_;
};

}  // namespace weir::env
