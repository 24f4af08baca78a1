// That a seed is a run: the same events in the same order, whatever goes wrong in them.

#include <gtest/gtest.h>

#include <set>

#include "weir/base/log.h"
#include "weir/env/api/function_runnable.h"
#include "weir/env/api/mailbox.h"
#include "weir/env/sim/process.h"
#include "weir/env/sim/world.h"

namespace weir::sim {
namespace {

using env::Create;
using env::Placement;
using env::StepResult;
using Steps = env::FunctionRunnable;

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

TEST(Replay, TheSameSeedIsTheSameRun) {
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

TEST(Replay, EveryFaultIsReported) {
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

TEST(Replay, NoFaultOfTheDiskStrikesAfterTheyStopped) {
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
