#include "weir/env/sim/world.h"

#include <gtest/gtest.h>

#include "weir/env/api/function_runnable.h"
#include "weir/env/api/mailbox.h"
#include "weir/env/sim/process.h"

namespace weir::sim {
namespace {

using env::Create;
using env::Placement;
using env::StepResult;
using Why = RunResult::Why;

using Steps = env::FunctionRunnable;

TEST(World, StepsUntilDoneAndTimePasses) {
  World world(1);
  Process process(world);
  int steps = 0;
  Steps counter([&] { return ++steps == 10 ? StepResult::done() : StepResult::ready(); });
  process.env().executor.start(counter, Placement::shared(0)).wake();
  const auto result = world.run();
  EXPECT_EQ(result.why, Why::kNothingLeft);
  EXPECT_TRUE(result.unfinished.empty());
  EXPECT_EQ(steps, 10);
  EXPECT_GE(world.now(), Instant{} + Duration::micros(9));
  EXPECT_LE(world.now(), Instant{} + Duration::micros(10 * 50 + 20));
}

TEST(World, ADoneRunnableIsNotTouchedAgain) {
  World world(1);
  Process process(world);
  std::unique_ptr<Steps> runnable;
  env::Waker* waker = nullptr;
  Steps deleter([&] {
    runnable = nullptr;
    waker->wake();
    return StepResult::done();
  });
  runnable = std::make_unique<Steps>([&] {
    process.env().executor.start(deleter, Placement::shared(0));
    return StepResult::done();
  });
  waker = &process.env().executor.start(*runnable, Placement::shared(0));
  EXPECT_TRUE(world.run().unfinished.empty());
}

TEST(World, ADeadlockIsReportedWithItsNames) {
  World world(1);
  Process process(world);
  Steps waiting([] { return StepResult::blocked(); }, "sum[1]");
  Steps ending([] { return StepResult::done(); }, "map[0]");
  process.env().executor.start(waiting, Placement::shared(0));
  process.env().executor.start(ending, Placement::shared(1));
  const auto result = world.run([] { return false; });
  EXPECT_EQ(result.why, Why::kNothingLeft);
  EXPECT_EQ(result.unfinished, (std::vector<std::string>{"sum[1]"}));
}

TEST(World, TheTimeLimitEndsARunAndTheNextGoesOn) {
  World world(1);
  Process process(world);
  int steps = 0;
  Steps endless([&] { return ++steps, StepResult::ready(); });
  process.env().executor.start(endless, Placement::shared(0));
  const Instant limit = Instant{} + Duration::millis(5);
  EXPECT_EQ(world.run(limit).why, Why::kTimeLimit);
  EXPECT_EQ(world.now(), limit);
  const int before = steps;
  EXPECT_GT(before, 50);
  EXPECT_EQ(world.run([&] { return steps == before + 10; }).why, Why::kCondition);
}

TEST(World, ReadyOnesOfAThreadShareItFairly) {
  SimOptions options;
  options.executor_threads = 1;
  World world(1, options);
  Process process(world);
  std::vector<int> counts(4);
  std::vector<std::unique_ptr<Steps>> runnables;
  for (std::size_t i = 0; i != counts.size(); ++i) {
    runnables.push_back(
        std::make_unique<Steps>([&counts, i] { return ++counts[i], StepResult::ready(); }));
    process.env().executor.start(*runnables.back(), Placement::shared(0));
  }
  world.run(Instant{} + Duration::millis(200));
  for (const int count : counts) EXPECT_GT(count, 1000);
}

TEST(World, VirtualThreadsOverlap) {
  const auto time_with = [](std::uint32_t threads) {
    SimOptions options;
    options.executor_threads = threads;
    World world(1, options);
    Process process(world);
    std::vector<std::unique_ptr<Steps>> runnables;
    for (std::uint32_t i = 0; i != 4; ++i) {
      runnables.push_back(std::make_unique<Steps>(
          [n = 0]() mutable { return ++n == 1000 ? StepResult::done() : StepResult::ready(); }));
      process.env().executor.start(*runnables.back(), Placement::shared(i % threads));
    }
    world.run();
    return static_cast<double>(world.now().ns);
  };
  EXPECT_NEAR(time_with(1) / time_with(4), 4, 0.5);
}

TEST(World, TimersFireInOrderAndNotEarly) {
  World world(1);
  Process process(world);
  auto& clock = process.env().clock;
  std::vector<int> order;
  std::vector<std::unique_ptr<Steps>> runnables;
  for (const int ms : {30, 10, 20}) {
    runnables.push_back(std::make_unique<Steps>([&, ms, waited = false]() mutable {
      const Instant at = Instant{} + Duration::millis(ms);
      if (!std::exchange(waited, true)) return StepResult::blocked(at);
      EXPECT_GE(clock.now(), at);
      order.push_back(ms);
      return StepResult::done();
    }));
    process.env().executor.start(*runnables.back(), Placement::shared(0));
  }
  world.run();
  EXPECT_EQ(order, (std::vector<int>{10, 20, 30}));
}

TEST(World, AnEarlierWaitsTimerDoesNotEndALaterOne) {
  World world(1);
  Process process(world);
  int steps = 0;
  Steps sleeper([&] {
    // The first wait has a timer but is ended by a wake-up; the second has none.
    if (++steps == 1) return StepResult::blocked(Instant{} + Duration::millis(10));
    return StepResult::blocked();
  });
  auto& waker = process.env().executor.start(sleeper, Placement::shared(0));
  world.at(Instant{} + Duration::millis(5), [&] { waker.wake(); });
  EXPECT_EQ(world.run().why, Why::kNothingLeft);
  EXPECT_EQ(steps, 2);
}

// Three that pass a token around and block in between: over many worlds, no wake-up is ever lost.
TEST(World, NoWakeUpIsLost) {
  for (std::uint64_t seed = 0; seed != 200; ++seed) {
    World world(seed, draw_profile(seed));
    Process process(world);
    const std::uint32_t threads = process.env().executor.thread_count();
    std::vector<env::Mailbox<int>> boxes(3);
    std::vector<std::unique_ptr<Steps>> runnables;
    int passed = 0;
    for (std::size_t i = 0; i != 3; ++i) {
      runnables.push_back(std::make_unique<Steps>([&, i] {
        // The last one waits in a file call, in which it may be woken too.
        if (i == 2) std::ignore = process.env().files.info("/");  // A fault is as good.
        for (const int token : boxes[i].take()) {
          ++passed;
          if (token != 0) boxes[(i + 1) % 3].post(token - 1);
        }
        return StepResult::blocked();
      }));
      boxes[i].wake_with(process.env().executor.start(
          *runnables.back(), i == 2 ? Placement::own_thread()
                                    : Placement::shared(static_cast<std::uint32_t>(i) % threads)));
    }
    boxes[0].post(99);
    world.run(Instant{} + Duration::seconds(100));
    EXPECT_EQ(passed, 100) << "seed " << seed;
  }
}

TEST(World, SpuriousStepsHappenWhereTheyAreAskedFor) {
  SimOptions options;
  options.executor_threads = 1;
  options.spurious_step_one_in = 4;
  World world(1, options);
  Process process(world);
  int spurious = 0;
  Steps blocked([&] { return ++spurious, StepResult::blocked(); });
  Steps busy([n = 0]() mutable { return ++n == 100 ? StepResult::done() : StepResult::ready(); });
  process.env().executor.start(blocked, Placement::shared(0));
  process.env().executor.start(busy, Placement::shared(0));
  world.run();
  EXPECT_GT(spurious, 5);
}

TEST(World, OwnThreadsAndPoolWorkWaitInFileCallsWhileOthersRun) {
  World world(1);
  world.disk().put("a", "x");
  Process process(world);
  auto env = process.env();
  int other_steps = 0;
  int seen_by_own = 0;
  int seen_by_pool = 0;
  Steps other([&] { return ++other_steps == 2000 ? StepResult::done() : StepResult::ready(); });
  Steps own([&] {
    const int before = other_steps;
    for (int i = 0; i != 10; ++i) EXPECT_TRUE(env.files.info("a"));
    seen_by_own = other_steps - before;
    return StepResult::done();
  });
  env.executor.start(other, Placement::shared(0));
  env.executor.start(own, Placement::own_thread());
  env.io.submit([&] {
    const int before = other_steps;
    for (int i = 0; i != 10; ++i) EXPECT_TRUE(env.files.info("a"));
    seen_by_pool = other_steps - before;
  });
  EXPECT_TRUE(world.run().unfinished.empty());
  EXPECT_GT(seen_by_own, 5);
  EXPECT_GT(seen_by_pool, 5);
}

TEST(World, FileCallsOfASharedStepAddToItsCost) {
  SimOptions options;
  options.io_latency = {Duration::millis(3), Duration::millis(3)};
  World world(1, options);
  Process process(world);
  auto env = process.env();
  Instant first{};
  Steps writer([&, n = 0]() mutable {
    if (++n == 2) return StepResult::done();
    first = env.clock.now();
    EXPECT_TRUE(env.files.create("a", Create::kNew));
    EXPECT_EQ(env.clock.now(), first);  // Nobody else has run meanwhile.
    return StepResult::ready();
  });
  env.executor.start(writer, Placement::shared(0));
  world.run();
  EXPECT_GE(world.now() - first, Duration::millis(3));
}

TEST(World, PoolWorkRunsInAnyOrderAndAllOfIt) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    World world(seed);
    Process process(world);
    std::vector<int> order;
    for (int i = 0; i != 3; ++i) process.env().io.submit([&order, i] { order.push_back(i); });
    world.run();
    EXPECT_EQ(order.size(), 3u);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(World, BandwidthIsSharedByAll) {
  SimOptions options;
  options.disk_bytes_per_second = 1'000'000;
  options.io_threads = 4;
  World world(1, options);
  Process process(world);
  auto env = process.env();
  for (int i = 0; i != 4; ++i)
    env.io.submit([&env, i] {
      auto file = env.files.create("f" + std::to_string(i), Create::kNew);
      EXPECT_EQ((*file)->append(Bytes(250'000)), ok());
    });
  world.run();
  EXPECT_NEAR(static_cast<double>(world.now().ns), 1e9, 1e7);
}

TEST(World, TheWallClockMayStepBackAndTheOtherNever) {
  SimOptions options;
  options.wall_step_one_in = 3;
  World world(1, options);
  Process process(world);
  auto& clock = process.env().clock;
  int back = 0;
  WallTime last = clock.wall();
  for (int i = 0; i != 100; ++i) {
    const WallTime next = clock.wall();
    if (next < last) ++back;
    last = next;
  }
  EXPECT_GT(back, 5);
  EXPECT_EQ(clock.now(), world.now());
}

}  // namespace
}  // namespace weir::sim
