#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "weir/env/api/function_runnable.h"
#include "weir/env/posix/posix_executor.h"

namespace weir::env {
namespace {

// Bounded polling, told by who goes to sleep: a thread that polls for an hour never does within a test, and one that may
// not poll does at once.
constexpr Duration kForAnHour = Duration::seconds(3600);

PosixExecutorOptions options(std::uint32_t cores, std::uint32_t threads, Duration poll) {
  PosixExecutorOptions options;
  options.cores = cores;
  options.threads = threads;
  options.poll = poll;
  return options;
}

// Whether it comes true, with a patience that only a failure uses up.
bool comes_true(const std::function<bool()>& condition) {
  const PosixClock clock;
  const auto until = clock.now() + Duration::seconds(20);
  while (!condition()) {
    if (clock.now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

// Blocked until it is woken, and counts its steps.
struct Sleeper {
  std::atomic<int> steps{0};
  FunctionRunnable runnable{[this] {
    steps.fetch_add(1);
    return StepResult::blocked();
  }};
};

// Wakes it so often, each time when it has done with the time before.
void wake_often(Sleeper& sleeper, Waker& waker) {
  ASSERT_TRUE(comes_true([&] { return sleeper.steps.load() > 0; }));
  for (int i = 0; i != 200; ++i) {
    const auto before = sleeper.steps.load();
    waker.wake();
    ASSERT_TRUE(comes_true([&] { return sleeper.steps.load() > before; }));
  }
}

// An own thread that always has something to do, until the end of the scope.
class BusyOwnThread {
 public:
  explicit BusyOwnThread(PosixExecutor& executor) {
    executor.start(runnable_, Placement::own_thread());
    EXPECT_TRUE(comes_true([this] { return steps_.load() > 0; }));
  }
  ~BusyOwnThread() {
    is_over_.store(true);
    EXPECT_TRUE(comes_true([this] { return is_done_.load(); }));
  }

 private:
  std::atomic<int> steps_{0};
  std::atomic<bool> is_over_{false};
  std::atomic<bool> is_done_{false};
  FunctionRunnable runnable_{[this] {
    steps_.fetch_add(1);
    std::this_thread::yield();
    if (!is_over_.load()) return StepResult::ready();
    is_done_.store(true);
    return StepResult::done();
  }};
};

TEST(ExecutorPolling, AThreadThatPollsDoesNotSleep) {
  Sleeper sleeper;
  PosixExecutor executor(options(2, 1, kForAnHour));
  wake_often(sleeper, executor.start(sleeper.runnable, Placement::shared(0)));
  EXPECT_EQ(executor.sleeps().shared, 0u);
}

TEST(ExecutorPolling, PollingEndsInSleepAndTheSleeperIsWoken) {
  EXPECT_EQ(PosixExecutorOptions{}.poll, Duration::micros(50));
  Sleeper sleeper;
  PosixExecutor executor(options(2, 1, Duration::micros(50)));
  Waker& waker = executor.start(sleeper.runnable, Placement::shared(0));
  for (int i = 0; i != 20; ++i) {
    // It sleeps after every wake: nothing but the end of polling can be the reason.
    const auto before = executor.sleeps().shared;
    const auto steps = sleeper.steps.load();
    waker.wake();
    ASSERT_TRUE(comes_true([&] { return sleeper.steps.load() > steps; }));
    ASSERT_TRUE(comes_true([&] { return executor.sleeps().shared > before; }));
  }
}

TEST(ExecutorPolling, WithMoreThreadsThanCoresNobodyPolls) {
  PosixExecutor executor(options(1, 2, kForAnHour));
  EXPECT_TRUE(comes_true([&] { return executor.sleeps().shared == 2; }));
}

TEST(ExecutorPolling, BesideAnOwnThreadThatTakesTheLastCoreNobodyPolls) {
  Sleeper sleeper;
  PosixExecutor executor(options(2, 1, kForAnHour));
  Waker& waker = executor.start(sleeper.runnable, Placement::shared(0));
  const BusyOwnThread first(executor);
  wake_often(sleeper, waker);
  EXPECT_EQ(executor.sleeps().shared, 0u) << "there is a core for both";
  const BusyOwnThread second(executor);
  waker.wake();  // It polls since before the second one came.
  EXPECT_TRUE(comes_true([&] { return executor.sleeps().shared > 0; }));
}

TEST(ExecutorPolling, AnOwnThreadDoesNotPollAndAsleepItTakesNoCore) {
  Sleeper own;
  Sleeper shared;
  PosixExecutor executor(options(1, 1, kForAnHour));
  executor.start(own.runnable, Placement::own_thread());
  ASSERT_TRUE(comes_true([&] { return own.steps.load() > 0 && executor.sleeps().own > 0; }));
  Waker& waker = executor.start(shared.runnable, Placement::shared(0));
  ASSERT_TRUE(comes_true([&] { return shared.steps.load() > 0; }));
  const auto before = executor.sleeps().shared;
  wake_often(shared, waker);
  EXPECT_EQ(executor.sleeps().shared, before);
}

TEST(ExecutorPolling, ATimerEndsPolling) {
  const PosixClock clock;
  std::atomic<bool> has_fired{false};
  FunctionRunnable timed([&, waits = true]() mutable {
    if (std::exchange(waits, false)) return StepResult::blocked(clock.now() + Duration::millis(5));
    has_fired.store(true);
    return StepResult::done();
  });
  PosixExecutor executor(options(2, 1, kForAnHour));
  executor.start(timed, Placement::shared(0));
  EXPECT_TRUE(comes_true([&] { return has_fired.load(); }));
  EXPECT_EQ(executor.sleeps().shared, 0u);
}

}  // namespace
}  // namespace weir::env
