#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/env/api/executor.h"
#include "weir/env/posix/posix_clock.h"

namespace weir::env {

class ExecutorThread;
class ExecutorTask;

struct PosixExecutorOptions {
  // How many shared threads; 0 means one per core.
  std::uint32_t threads = 0;
  // Shared thread i stays on cpus[i % cpus.size()]; empty leaves the choice to the kernel.
  std::vector<std::uint32_t> cpus = {};
  // How long a thread without work looks for some before it sleeps. Waking a sleeping one costs
  // much more than this.
  Duration poll = Duration::micros(50);
  // A step of a shared thread that is longer than this is logged as LongStep. One with a thread of
  // its own may take its time.
  Duration step_warning = Duration::millis(100);
  // How many cores there are to poll on; 0 asks the system.
  std::uint32_t cores = 0;
};

// Threads that step Runnables.
//
// Each thread owns a list of Runnables and steps the ready ones in turn. When none is ready it
// polls for a bounded time and then sleeps until a Waker or the nearest wake_at. Where the shared
// threads and the own ones together exceed the cores it does not poll: it would only take the
// processor from somebody who has work.
//
//   Shape   a thread steps what start() put there, in order of arrival, once per round
//   Errors  building it throws std::system_error where a shared thread is refused. A thread of its own that is refused is
//           a warning: the Runnable gets a shared one. Memory refused in a step ends the process, with a sentence
//   Units   a timer is late by the steps in progress, and by a scheduling of the kernel when idle
//   Thread  start() and wakers: any. While no thread sleeps and nothing is started no lock is taken
//           and no system call made. A Runnable whose step returned kDone is not touched again
class PosixExecutor final : public Executor {
 public:
  using Options = PosixExecutorOptions;

  explicit PosixExecutor(Options options = {});
  ~PosixExecutor() override;  // stop()

  std::uint32_t thread_count() const override;
  // After stop() the Runnable is never stepped.
  Waker& start(Runnable& runnable, Placement placement) override;
  // Lets each thread end the step it is in and joins it: no step is running or will run. Runnables
  // that were not done are left as they are. Not from a step. Whatever blocks an own_thread() step
  // must have been ended before, or this waits for it.
  void stop();

  // How often threads of either kind went to sleep, since they found nothing to do.
  struct Sleeps {
    std::uint64_t shared = 0;
    std::uint64_t own = 0;
  };
  Sleeps sleeps();

 private:
  ExecutorThread& add_thread(std::string name, std::vector<std::uint32_t> cpus, bool is_own)
      WEIR_REQUIRES(mutex_);
  ExecutorThread& own_thread_for(const std::string& name, std::error_code& refused)
      WEIR_REQUIRES(mutex_);
  // `refused` says why it has no thread of its own, where it should.
  Waker& start(Runnable& runnable, const std::string& name, Placement placement,
               std::error_code& refused);

  const Options options_;
  const std::uint32_t thread_count_;
  PosixClock clock_;
  std::atomic<std::uint32_t> own_running_{0};  // No partner: a hint about whether polling pays.
  Mutex mutex_;
  bool stopping_ WEIR_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<ExecutorTask>> tasks_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<ExecutorThread>> shared_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<ExecutorThread>> own_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::env
