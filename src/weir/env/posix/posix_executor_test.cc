#include "weir/env/posix/posix_executor.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "weir/base/log.h"
#include "weir/env/api/function_runnable.h"
#include "weir/env/api/mailbox.h"
#include "weir/env/posix/host.h"

namespace weir::env {
namespace {

using Steps = FunctionRunnable;

PosixExecutor::Options with_threads(std::uint32_t n) {
  PosixExecutor::Options options;
  options.threads = n;
  return options;
}

// Something that happens a number of times and can be waited for.
class Tally {
 public:
  void add() {
    count_.fetch_add(1);
    count_.notify_all();
  }
  void await(int n) const {
    for (int seen = count_.load(); seen < n; seen = count_.load()) count_.wait(seen);
  }
  int count() const { return count_.load(); }

 private:
  std::atomic<int> count_{0};
};

TEST(PosixExecutor, StepsUntilDoneAndNeverAgain) {
  Tally steps;
  Steps counter([&] {
    steps.add();
    return steps.count() == 1000 ? StepResult::done() : StepResult::ready();
  });
  Tally later;
  Steps other([&] { return later.add(), StepResult::blocked(); });
  PosixExecutor executor(with_threads(1));
  Waker& waker = executor.start(counter, Placement::shared(0));
  steps.await(1000);
  waker.wake();
  Waker& other_waker = executor.start(other, Placement::shared(0));
  for (int i = 1; i != 10; ++i) {
    later.await(i);
    waker.wake();
    other_waker.wake();
  }
  executor.stop();
  EXPECT_EQ(steps.count(), 1000);
}

// Tells of its end as the last thing it does, so that it may be deleted before step() has returned.
class Once final : public Runnable {
 public:
  explicit Once(Tally& done) : done_(done) {}
  StepResult step() override {
    done_.add();
    return StepResult::done();
  }
  std::string name() const override { return "once"; }

 private:
  Tally& done_;
};

TEST(PosixExecutor, ADoneRunnableMayBeDeletedAtOnce) {
  Tally done;
  PosixExecutor executor(with_threads(1));
  for (int i = 0; i != 300; ++i) {
    auto once = std::make_unique<Once>(done);
    Waker& waker =
        executor.start(*once, i % 10 == 0 ? Placement::own_thread() : Placement::shared(0));
    done.await(i + 1);
    once = nullptr;
    waker.wake();
  }
}

TEST(PosixExecutor, ABlockedRunnableIsLeftAloneUntilItIsWoken) {
  Tally steps;
  Tally others;
  Steps blocked([&] { return steps.add(), StepResult::blocked(); });
  Steps busy([&] {
    others.add();
    return StepResult::ready();
  });
  PosixExecutor executor(with_threads(1));
  Waker& waker = executor.start(blocked, Placement::shared(0));
  executor.start(busy, Placement::shared(0));
  for (int i = 1; i != 100; ++i) {
    steps.await(i);
    others.await(others.count() + 10);
    ASSERT_EQ(steps.count(), i);
    waker.wake();
  }
}

TEST(PosixExecutor, ReadyOnesTakeTurns) {
  std::vector<int> order;
  Tally all;
  std::vector<std::unique_ptr<Steps>> runnables;
  for (int i = 0; i != 4; ++i)
    runnables.push_back(std::make_unique<Steps>([&order, &all, i] {
      order.push_back(i);
      if (order.size() < 400) return StepResult::ready();
      all.add();
      return StepResult::done();
    }));
  {
    PosixExecutor executor(with_threads(1));
    for (auto& runnable : runnables) executor.start(*runnable, Placement::shared(0));
    all.await(4);
  }
  // Once all have arrived, each round is the same.
  for (std::size_t i = 300; i + 4 < 400; ++i) EXPECT_EQ(order[i], order[i + 4]);
}

TEST(PosixExecutor, AWakeDuringAStepCausesAnother) {
  Waker* waker = nullptr;
  Tally steps;
  std::atomic<bool> started{false};
  Steps self_waking([&] {
    while (!started.load()) std::this_thread::yield();
    steps.add();
    if (steps.count() < 100) waker->wake();
    return StepResult::blocked();
  });
  PosixExecutor executor(with_threads(1));
  waker = &executor.start(self_waking, Placement::shared(0));
  started.store(true);
  steps.await(100);
}

TEST(PosixExecutor, TimersWakeInOrderAndNotEarly) {
  const PosixClock clock;
  const Instant start = clock.now();
  std::vector<int> order;
  Tally fired;
  std::vector<std::unique_ptr<Steps>> runnables;
  bool early = false;
  for (const int ms : {30, 10, 20}) {
    const Instant at = start + Duration::millis(ms);
    runnables.push_back(std::make_unique<Steps>([&, ms, at, waited = false]() mutable {
      if (!waited) return waited = true, StepResult::blocked(at);
      if (clock.now() < at) early = true;
      order.push_back(ms);
      fired.add();
      return StepResult::done();
    }));
  }
  {
    PosixExecutor executor(with_threads(1));
    for (auto& runnable : runnables) executor.start(*runnable, Placement::shared(0));
    fired.await(3);
  }
  EXPECT_FALSE(early);
  EXPECT_EQ(order, (std::vector<int>{10, 20, 30}));
}

TEST(PosixExecutor, ATimerIsSeenBesideOneThatIsAlwaysReady) {
  const PosixClock clock;
  Tally fired;
  Steps busy([] { return StepResult::ready(); });
  Steps timed([&, waited = false]() mutable {
    if (!waited) return waited = true, StepResult::blocked(clock.now() + Duration::millis(20));
    fired.add();
    return StepResult::done();
  });
  PosixExecutor executor(with_threads(1));
  executor.start(busy, Placement::shared(0));
  executor.start(timed, Placement::shared(0));
  fired.await(1);
}

TEST(PosixExecutor, OwnThreadsDoNotHoldUpTheShared) {
  Tally released;
  Tally stepped;
  Steps blocking([&] {
    released.await(1);
    return StepResult::done();
  });
  Steps quick([&] { return stepped.add(), StepResult::done(); });
  PosixExecutor executor(with_threads(1));
  executor.start(blocking, Placement::own_thread());
  executor.start(quick, Placement::shared(0));
  stepped.await(1);
  released.add();
}

TEST(PosixExecutor, AnIdleOwnThreadIsWokenLikeAnyOther) {
  Mailbox<int> mailbox;
  Tally received;
  Steps reader([&] {
    for (const int letter : mailbox.take()) {
      received.add();
      if (letter == 0) return StepResult::done();
    }
    return StepResult::blocked();
  });
  PosixExecutor executor(with_threads(1));
  mailbox.wake_with(executor.start(reader, Placement::own_thread()));
  for (int i = 1; i <= 50; ++i) {
    mailbox.post(i == 50 ? 0 : i);
    received.await(i);
  }
}

TEST(PosixExecutor, AStepMayStartOthers) {
  Tally stepped;
  PosixExecutor* executor_in_use = nullptr;
  Steps second([&] { return stepped.add(), StepResult::done(); });
  Steps first([&] {
    executor_in_use->start(second, Placement::shared(1));
    return StepResult::done();
  });
  PosixExecutor executor(with_threads(2));
  executor_in_use = &executor;
  executor.start(first, Placement::shared(0));
  stepped.await(1);
}

TEST(PosixExecutor, AfterStopNothingIsStepped) {
  Tally steps;
  Steps endless([&] { return steps.add(), StepResult::ready(); });
  Steps late([&] { return steps.add(), StepResult::ready(); });
  PosixExecutor executor(with_threads(2));
  executor.start(endless, Placement::shared(1));
  steps.await(10);
  executor.stop();
  const int before = steps.count();
  executor.start(late, Placement::shared(0)).wake();
  executor.start(late, Placement::own_thread()).wake();
  EXPECT_EQ(steps.count(), before);
}

TEST(PosixExecutor, StepsAndWakesTakeNoLock) {
  Tally steps;
  std::atomic<std::uint64_t> locks_at_start{0};
  std::atomic<std::uint64_t> locks_at_end{0};
  Waker* other = nullptr;
  std::atomic<bool> is_set_up{false};
  Steps woken([&] { return StepResult::blocked(); });
  Steps busy([&, n = 0]() mutable {
    if (!is_set_up.load()) return StepResult::ready();
    // From the second step on, the thread has noticed that there is nothing new.
    if (++n == 2) locks_at_start = Mutex::times_taken();
    other->wake();
    if (n != 10'000) return StepResult::ready();
    locks_at_end = Mutex::times_taken();
    steps.add();
    return StepResult::done();
  });
  PosixExecutor executor(with_threads(1));
  other = &executor.start(woken, Placement::shared(0));
  executor.start(busy, Placement::shared(0));
  is_set_up.store(true);
  steps.await(1);
  EXPECT_EQ(locks_at_start.load(), locks_at_end.load());
}

TEST(PosixExecutor, ThreadsStayWhereTheyArePinned) {
  const auto cpu = cpus_available().back();
  auto options = with_threads(1);
  options.cpus = {cpu};
  Tally done;
  std::atomic<int> ran_on{-1};
  Steps look([&] {
    ran_on = sched_getcpu();
    done.add();
    return StepResult::done();
  });
  PosixExecutor executor(options);
  executor.start(look, Placement::shared(0));
  done.await(1);
  EXPECT_EQ(ran_on.load(), static_cast<int>(cpu));
}

class Lines final : public log::Sink {
 public:
  bool wants(log::Level) const override { return true; }
  void write(log::Level, std::string_view line) override {
    MutexLock lock(mutex_);
    lines_.emplace_back(line);
  }
  std::vector<std::string> lines() {
    MutexLock lock(mutex_);
    return lines_;
  }

 private:
  Mutex mutex_;
  std::vector<std::string> lines_ WEIR_GUARDED_BY(mutex_);
};

TEST(PosixExecutor, ALongStepIsLoggedWithItsName) {
  Lines lines;
  log::set_sink(&lines);
  const PosixClock clock;
  auto options = with_threads(1);
  options.step_warning = Duration::millis(40);
  Steps quick([n = 0]() mutable { return ++n == 100 ? StepResult::done() : StepResult::ready(); },
              "quick");
  Steps slow(
      [&] {
        const Instant until = clock.now() + Duration::millis(80);
        while (clock.now() < until) std::this_thread::yield();
        return StepResult::done();
      },
      "sum[1]");
  Tally done;
  Steps last([&] { return done.add(), StepResult::done(); });
  {
    PosixExecutor executor(options);
    executor.start(quick, Placement::shared(0));
    executor.start(slow, Placement::shared(0));
    executor.start(last, Placement::shared(0));
    done.await(1);
  }
  log::set_sink(nullptr);
  const auto all = lines.lines();
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const std::string& line) {
                            return line.find("LongStep runnable=sum[1] ms=") == 0;
                          }),
            1);
}

TEST(Host, KnowsItsLimits) {
  EXPECT_GE(cores_available(), 1u);
  EXPECT_GE(open_files_max(), 1u);
  EXPECT_GE(load_average(), 0);
}

TEST(PosixClock, TheCoarseReadingIsBehindByATickAtMost) {
  const PosixClock clock;
  for (int i = 0; i != 1000; ++i) {
    const Instant before = clock.now();
    const Instant coarse = clock.coarse();
    const Instant after = clock.now();
    EXPECT_LE(coarse, after);
    EXPECT_GE(coarse + PosixClock::kCoarseLag, before);
  }
}

}  // namespace
}  // namespace weir::env
