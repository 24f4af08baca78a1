// What it means for a process to be gone, wherever it was.

#include "weir/env/sim/process.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "weir/env/api/function_runnable.h"
#include "weir/env/sim/internal/fiber.h"
#include "weir/env/sim/world.h"

namespace weir::sim {
namespace {

using env::Create;
using env::Placement;
using env::StepResult;

using Steps = env::FunctionRunnable;

// Says in its destructor that it has been destroyed.
struct Witness {
  explicit Witness(int& count) : destroyed(count) {}
  ~Witness() { ++destroyed; }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  int& destroyed;
};

// Writes a file piece by piece; whether all of it succeeded.
Status write_pieces(env::FileSystem& files, const std::string& path) {
  WEIR_ASSIGN(const auto file, files.create(path, Create::kNew));
  for (int i = 0; i != 5; ++i) WEIR_TRY(file->append(bytes_of("piece ")));
  WEIR_TRY(file->sync());
  WEIR_TRY(file->close());
  return files.sync_directory(".");
}

TEST(Process, AfterTheCutEveryCallFailsAndNothingLands) {
  World world(1);
  world.disk().put("a", "1");
  Process process(world);
  auto& files = process.env().files;
  const auto reader = files.open("a");
  const auto writer = files.create("b", Create::kNew);
  process.cut();
  process.cut();
  EXPECT_TRUE(process.is_cut());
  Bytes one(1);
  EXPECT_EQ((*reader)->read_at(0, one).error().what, "read a: the process is gone");
  EXPECT_EQ((*writer)->append(bytes_of("x")).error().code, Code::kUnavailable);
  EXPECT_FALSE((*writer)->sync());
  EXPECT_FALSE((*writer)->close());
  EXPECT_FALSE(files.open("a"));
  EXPECT_FALSE(files.create("c", Create::kNew));
  EXPECT_FALSE(files.rename("a", "c"));
  EXPECT_FALSE(files.link("a", "c"));
  EXPECT_FALSE(files.remove("a"));
  EXPECT_FALSE(files.make_directories("d"));
  EXPECT_FALSE(files.sync_directory("."));
  EXPECT_FALSE(files.list("."));
  EXPECT_FALSE(files.info("a"));
  EXPECT_FALSE(files.lock("lock"));
  EXPECT_EQ(world.disk().paths(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(*world.disk().content("b"), "");
}

TEST(Process, AfterTheCutNothingIsStepped) {
  World world(1);
  Process process(world);
  auto env = process.env();
  int steps = 0;
  Steps endless([&] { return ++steps, StepResult::ready(); });
  Steps late([&] { return ++steps, StepResult::ready(); });
  auto& waker = env.executor.start(endless, Placement::shared(0));
  world.run([&] { return steps == 10; });
  process.cut();
  waker.wake();
  env.executor.start(late, Placement::shared(1)).wake();
  env.io.submit([&] { ++steps; });
  EXPECT_EQ(world.run().why, RunResult::Why::kNothingLeft);
  EXPECT_EQ(steps, 10);
}

TEST(Process, WhatWaitsInAFileCallIsUnwoundAndWhatHasNotBegunIsForgotten) {
  SimOptions options;
  options.io_threads = 2;
  World world(1, options);
  int destroyed = 0;
  int ran = 0;
  std::vector<Status> outcomes;
  Process process(world);
  auto env = process.env();
  Steps own([&] {
    Witness witness(destroyed);
    outcomes.push_back(write_pieces(env.files, "own"));
    return StepResult::done();
  });
  env.executor.start(own, Placement::own_thread());
  for (int i = 0; i != 10; ++i)
    env.io.submit([&, i, held = std::make_shared<Witness>(destroyed)] {
      ++ran;
      Witness witness(destroyed);
      outcomes.push_back(write_pieces(env.files, "pool" + std::to_string(i)));
    });
  world.run([&] { return world.disk().call_count() == 8; });
  EXPECT_EQ(ran, 2);
  process.cut();
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(outcomes.size(), 3u);
  for (const auto& outcome : outcomes) EXPECT_FALSE(outcome);
  EXPECT_EQ(destroyed, 3 + 10);  // The three on a stack, and what the ten pieces of work held.
  EXPECT_EQ(world.disk().open_handles(), 0u);
}

// The crash may fall before, in and after every call: the file is whole or was never said to be.
TEST(Process, ACrashAtEveryMomentOfEveryCall) {
  int whole = 0;
  for (std::uint64_t at = 0; at != 12; ++at) {
    for (std::uint64_t seed = 0; seed != 40; ++seed) {
      World world(seed);
      Status outcome = Error{Code::kUnavailable, "not run"};
      {
        Process process(world);
        auto env = process.env();
        world.disk().after_each_call([&](const IoCall& call) {
          if (call.number == at) process.cut();
        });
        env.io.submit([&] { outcome = write_pieces(env.files, "a"); });
        world.run();
        EXPECT_EQ(process.is_cut(), at >= 1 && at <= 9) << at;
      }
      world.disk().crash(CrashMode::kRandom);
      const auto content = world.disk().content("a");
      const bool is_whole = content == "piece piece piece piece piece ";
      EXPECT_TRUE(is_whole || !outcome);
      EXPECT_EQ(static_cast<bool>(outcome), !(at >= 1 && at <= 9));
      whole += is_whole ? 1 : 0;
    }
  }
  EXPECT_GT(whole, 3 * 40);
  EXPECT_LT(whole, 12 * 40);
}

TEST(Process, ACutByTheWorldUnwindsAtOnce) {
  World world(1);
  auto process = std::make_unique<Process>(world);
  auto held = std::make_unique<std::string>("an engine");
  auto env = process->env();
  bool ended = false;
  env.io.submit([&] {
    std::ignore = write_pieces(env.files, "a");  // Cut in its middle.
    EXPECT_EQ(*held, "an engine");
    ended = true;
  });
  world.at(Instant{} + Duration::micros(600), [&] {
    process->cut();
    EXPECT_TRUE(ended);
    held = nullptr;
    process = nullptr;
  });
  world.run();
  EXPECT_TRUE(ended);
}

TEST(Process, LocksAreFreeAfterTheCutAndTheDeadDoNotTakeThemBack) {
  World world(1);
  Process first(world);
  Process second(world);
  using Kind = env::LockOutcome::Kind;
  auto held = *first.env().files.lock("lock");
  ASSERT_TRUE(held.lock);
  EXPECT_EQ(second.env().files.lock("lock")->kind, Kind::kHeldElsewhere);
  first.cut();
  const auto taken = second.env().files.lock("lock");
  EXPECT_EQ(taken->kind, Kind::kTaken);
  held.lock.reset();
  Process third(world);
  EXPECT_EQ(third.env().files.lock("lock")->kind, Kind::kHeldElsewhere);
}

TEST(Process, OneCutLeavesTheOthersRunning) {
  World world(1);
  Process first(world);
  Process second(world);
  int first_steps = 0;
  int second_steps = 0;
  Steps a([&] { return ++first_steps, StepResult::ready(); });
  Steps b([&] { return ++second_steps, StepResult::ready(); });
  first.env().executor.start(a, Placement::shared(0));
  second.env().executor.start(b, Placement::shared(0));
  world.run([&] { return first_steps >= 10 && second_steps >= 10; });
  first.cut();
  const int steps_at_cut = first_steps;
  world.run([&] { return second_steps == 100; });
  EXPECT_EQ(first_steps, steps_at_cut);
}

TEST(Process, FileCallsInCatchHandlersAndWhileUnwindingDoNotSwitch) {
  struct Cleaner {
    explicit Cleaner(env::FileSystem& on) : files(on) {}
    ~Cleaner() { std::ignore = files.remove("a"); }  // There is none.
    Cleaner(const Cleaner&) = delete;
    Cleaner& operator=(const Cleaner&) = delete;
    env::FileSystem& files;
  };
  World world(1);
  Process process(world);
  auto env = process.env();
  int caught = 0;
  const auto work = [&] {
    try {
      Cleaner cleaner(env.files);
      throw std::runtime_error("first");
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(env.files.list("."));
      try {
        throw std::logic_error("second");
      } catch (const std::logic_error&) {
        EXPECT_TRUE(env.files.list("."));
      }
      EXPECT_STREQ(error.what(), "first");
      ++caught;
    }
    EXPECT_TRUE(env.files.list("."));
  };
  for (int i = 0; i != 10; ++i) env.io.submit(work);
  world.run();
  EXPECT_EQ(caught, 10);
}

TEST(Process, EntropyComesFromTheSeed) {
  const auto bits = [](std::uint64_t seed) {
    World world(seed);
    Process process(world);
    return process.env().entropy.bits();
  };
  EXPECT_EQ(bits(1), bits(1));
  EXPECT_NE(bits(1), bits(2));
}

TEST(Fiber, GoesOnWhereItWasAndIsUsedAgain) {
  Fiber fiber;
  std::string log;
  for (int round = 0; round != 3; ++round) {
    fiber.start([&] {
      std::array<char, 20'000> much{};
      much[0] = 'a';
      log += much[0];
      fiber.suspend();
      log += 'c';
    });
    log += 'b';
    EXPECT_FALSE(fiber.is_idle());
    fiber.resume();
    EXPECT_TRUE(fiber.is_idle());
  }
  EXPECT_EQ(log, "abcabcabc");
}

TEST(Fiber, ExceptionsAreCaughtOnTheirOwnStack) {
  Fiber one;
  Fiber two;
  int caught = 0;
  const auto work = [&caught](Fiber& fiber) {
    for (int i = 0; i != 3; ++i) {
      try {
        fiber.suspend();
        throw std::runtime_error("here");
      } catch (const std::runtime_error&) {
        ++caught;
      }
    }
  };
  one.start([&] { work(one); });
  two.start([&] { work(two); });
  while (!one.is_idle()) {
    one.resume();
    two.resume();
  }
  EXPECT_EQ(caught, 6);
}

}  // namespace
}  // namespace weir::sim
