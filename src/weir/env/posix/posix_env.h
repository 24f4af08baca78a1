#pragma once

#include "weir/env/api/env.h"
#include "weir/env/posix/posix_clock.h"
#include "weir/env/posix/posix_console.h"
#include "weir/env/posix/posix_entropy.h"
#include "weir/env/posix/posix_executor.h"
#include "weir/env/posix/posix_file_system.h"
#include "weir/env/posix/posix_io_pool.h"

namespace weir::env {

// This machine as one Env. Build it first and destroy it last: the executor stops before the pool,
// so that a step in progress may still submit.
//
//   Errors  none of its own: what cannot be had is said at the first call that needs it
//   Thread  built and destroyed by one; env() from any
class PosixEnv {
 public:
  explicit PosixEnv(PosixExecutorOptions executor = {}, std::uint32_t io_threads = 4,
                    const std::vector<std::uint32_t>& io_cpus = {})
      : io_(io_threads, io_cpus), executor_(std::move(executor)) {}

  Env env() { return {clock_, entropy_, files_, executor_, io_, console_}; }
  PosixExecutor& executor() { return executor_; }
  PosixIoPool& io() { return io_; }

 private:
  PosixClock clock_;
  PosixEntropy entropy_;
  PosixFileSystem files_;
  PosixConsole console_;
  PosixIoPool io_;
  PosixExecutor executor_;
};

}  // namespace weir::env
