#include "weir/env/sim/world.h"

#include <gtest/gtest.h>

#include "weir/base/log.h"
#include "weir/env/api/mailbox.h"
#include "weir/env/sim/process.h"

namespace weir::sim {
namespace {

using env::Create;
using env::Placement;
using env::StepResult;
using Why = RunResult::Why;

// A Runnable from a function.
class Steps final : public env::Runnable {
 public:
  explicit Steps(std::function<StepResult()> step, std::string name = "steps")
      : step_(std::move(step)), name_(std::move(name)) {}
  StepResult step() override { return step_(); }
  std::string name() const override { return name_; }

 private:
  std::function<StepResult()> step_;
  std::string name_;
};

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

// A busy little machine: a ring of runnables, one of them on a thread of its own that writes files,
// and pool work, under a drawn profile.
struct Busy {
  explicit Busy(World& on) : world(on), process(on), env(process.env()) {
    for (std::size_t i = 0; i != boxes.size(); ++i) {
      runnables.push_back(std::make_unique<Steps>([this, i] { return step(i); }));
      boxes[i].wake_with(env.executor.start(
          *runnables.back(), i == 0 ? Placement::own_thread() : Placement::shared(0)));
    }
    boxes[0].post(60);
  }
  ~Busy() { process.cut(); }  // While what its work refers to is still there.
  StepResult step(std::size_t i) {
    for (const int token : boxes[i].take()) {
      log::Event(log::Level::kInfo, "Token").field("left", token);
      if (i == 0) write("own" + std::to_string(token));
      if (token % 5 == 0) env.io.submit([this, token] { write("pool" + std::to_string(token)); });
      if (token != 0) boxes[(i + 1) % boxes.size()].post(token - 1);
      if (token == 0) is_done = true;
    }
    return StepResult::blocked();
  }
  void write(const std::string& name) {
    outcomes += replace_file(env.files, name, bytes_of(name)) ? 'y' : 'n';
  }

  World& world;
  Process process;
  env::Env env;
  std::vector<env::Mailbox<int>> boxes{4};
  std::vector<std::unique_ptr<Steps>> runnables;
  std::string outcomes;
  bool is_done = false;
};

// The hash of a run in which the process is cut, the disk crashes and another process goes on.
std::uint64_t run_and_crash(std::uint64_t seed, std::string* text = nullptr) {
  World world(seed, draw_profile(seed));
  log::set_sink(&world.trace());
  if (text) world.trace().listen([text](std::string_view line) { text->append(line) += '\n'; });
  const Instant crash{world.fork_random().between(0, 20'000'000)};
  {
    Busy busy(world);
    world.run([&] { return busy.is_done; }, crash);
  }
  world.disk().crash(CrashMode::kRandom);
  {
    Busy busy(world);
    world.stop_faults();
    world.run([&] { return busy.is_done; });
    EXPECT_TRUE(busy.is_done);
  }
  log::set_sink(nullptr);
  EXPECT_EQ(world.disk().open_handles(), 0u);
  return world.trace().hash();
}

TEST(World, TheSameSeedIsTheSameRun) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed != 60; ++seed) {
    std::string first;
    std::string second;
    const auto hash = run_and_crash(seed, &first);
    EXPECT_EQ(run_and_crash(seed, &second), hash);
    EXPECT_EQ(first, second);
    EXPECT_EQ(run_and_crash(seed), hash);  // Listening changes nothing.
    hashes.insert(hash);
  }
  EXPECT_EQ(hashes.size(), 60u);
}

TEST(World, EveryFaultIsReported) {
  std::set<Fault> met;
  for (std::uint64_t seed = 0; seed != 60; ++seed) {
    World world(seed, draw_profile(seed));
    world.on_fault([&](Fault fault) { met.insert(fault); });
    Busy busy(world);
    const auto file = busy.env.files.create("much", Create::kNew);
    for (int i = 0; i != 200; ++i) {  // For their faults only.
      std::ignore = busy.env.clock.wall();
      std::ignore = busy.env.files.list(".");
      if (file) std::ignore = (*file)->append(bytes_of("x"));
    }
    world.run([&] { return busy.is_done; });
  }
  EXPECT_EQ(met, std::set<Fault>(kFaults.begin(), kFaults.end()));
}

TEST(World, NoFaultOfTheDiskStrikesAfterTheyStopped) {
  for (std::uint64_t seed = 0; seed != 60; ++seed) {
    World world(seed, draw_profile(seed));
    world.stop_faults();
    Busy busy(world);
    world.run([&] { return busy.is_done; });
    EXPECT_EQ(busy.outcomes.find('n'), std::string::npos);
  }
}

TEST(SimOptions, AProfileIsDrawnFromItsSeedAndAllKindsOccur) {
  int calm = 0;
  int slow_disk = 0;
  int failing_sync = 0;
  for (std::uint64_t seed = 0; seed != 300; ++seed) {
    const SimOptions options = draw_profile(seed);
    EXPECT_EQ(options.sync_error_one_in, draw_profile(seed).sync_error_one_in);
    EXPECT_GE(options.executor_threads, 1u);
    EXPECT_LE(options.step_cost.min, options.step_cost.max);
    EXPECT_LE(options.stall.min, options.stall.max);
    EXPECT_LE(options.io_latency.min, options.io_latency.max);
    EXPECT_LE(options.disk_full.min, options.disk_full.max);
    if (options.write_error_one_in + options.sync_error_one_in + options.name_error_one_in == 0)
      ++calm;
    if (options.disk_bytes_per_second != 0) ++slow_disk;
    if (options.sync_error_one_in != 0) ++failing_sync;
  }
  EXPECT_GT(calm, 50);
  EXPECT_GT(slow_disk, 30);
  EXPECT_GT(failing_sync, 50);
}

}  // namespace
}  // namespace weir::sim
