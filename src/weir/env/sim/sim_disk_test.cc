// What the disk owes as a FileSystem, and its limits, faults and hooks. For crashes see
// sim_disk_crash_test.cc.

#include "weir/env/sim/sim_disk.h"

#include <gtest/gtest.h>

#include <set>

#include "weir/env/api/file_system_contract.h"
#include "weir/env/sim/internal/disk_in_words.h"
#include "weir/env/sim/process.h"
#include "weir/env/sim/world.h"

namespace weir::sim {
namespace {

using env::Create;

struct SimFixture {
  SimFixture() : world(1), process(world) {
    EXPECT_EQ(process.env().files.make_directories(root()), ok());
  }
  env::FileSystem& files() { return process.env().files; }
  std::string root() { return "/root"; }

  World world;
  Process process;
};

}  // namespace
}  // namespace weir::sim

namespace weir::env {
INSTANTIATE_TYPED_TEST_SUITE_P(Sim, FileSystemContract, sim::SimFixture);
}  // namespace weir::env

namespace weir::sim {
namespace {

TEST(SimDisk, AFullDiskTakesWhatFitsAndHasRoomAfterARemoval) {
  SimOptions options;
  options.disk_bytes_max = 10;
  World world(1, options);
  Process process(world);
  auto& files = process.env().files;
  write(files, "a", "123456");
  auto file = files.create("b", Create::kNew);
  EXPECT_EQ((*file)->append(bytes_of("123456")).error().code, Code::kExhausted);
  EXPECT_EQ(world.disk().bytes_used(), 10u);
  EXPECT_EQ(files.remove("a"), ok());
  EXPECT_EQ(world.disk().bytes_used(), 4u);
  EXPECT_EQ((*file)->append(bytes_of("1234")), ok());
  EXPECT_EQ(files.remove("b"), ok());
  EXPECT_EQ(world.disk().bytes_used(), 8u);  // Somebody has it open.
  file->reset();
  EXPECT_EQ(world.disk().bytes_used(), 0u);
  process.cut();
  world.disk().crash(CrashMode::kKeepNothing);
  EXPECT_EQ(world.disk().bytes_used(), 0u);
}

TEST(SimDisk, SomebodyElseMayFillItForAWhile) {
  SimOptions options;
  options.disk_full_one_in = 20;
  World world(3, options);
  Process process(world);
  auto file = process.env().files.create("a", Create::kNew);
  int failures = 0;
  for (int i = 0; i != 200; ++i) {
    const auto status = (*file)->append(bytes_of("x"));
    if (!status) {
      ++failures;
      EXPECT_EQ(status.error().code, Code::kExhausted);
    }
  }
  // No time passes outside of events, so once full it stays full.
  EXPECT_GT(failures, 100);
  world.stop_faults();
  EXPECT_EQ((*file)->append(bytes_of("x")), ok());
}

TEST(SimDisk, FaultsStrikeAtTheirRatesAndHaveNoOtherEffect) {
  SimOptions options;
  options.read_error_one_in = 4;
  options.write_error_one_in = 4;
  options.sync_error_one_in = 4;
  options.name_error_one_in = 4;
  World world(1, options);
  Process process(world);
  auto& files = process.env().files;
  int failed = 0;
  int made = 0;
  for (int i = 0; i != 400; ++i) {
    const auto path = "f" + std::to_string(i);
    const auto file = files.create(path, Create::kNew);
    file ? ++made : ++failed;
    EXPECT_EQ(world.disk().content(path).has_value(), static_cast<bool>(file));
  }
  EXPECT_NEAR(failed, 100, 40);
  int renamed = 0;
  for (int i = 0; i != 400; ++i) {
    const auto path = "f" + std::to_string(i);
    if (world.disk().content(path) && files.rename(path, "r" + std::to_string(i))) ++renamed;
  }
  EXPECT_NEAR(renamed, 0.75 * made, 50);
  EXPECT_EQ(world.disk().paths().size(), static_cast<std::size_t>(made));
}

TEST(SimDisk, AFailedAppendMayLandInPart) {
  std::set<std::size_t> landed;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    World world(seed);
    Process process(world);
    auto file = process.env().files.create("a", Create::kNew);
    world.disk().before_each_call([](const IoCall&) -> Status {
      return Error{Code::kUnavailable, "input/output error"};
    });
    EXPECT_FALSE((*file)->append(bytes_of("123")));
    landed.insert(world.disk().content("a")->size());
  }
  EXPECT_EQ(landed, (std::set<std::size_t>{0, 1, 2, 3}));
}

TEST(SimDisk, AReadOnlyPlaceRefusesEveryChange) {
  World world(1);
  world.disk().put("in/a", "1");
  world.disk().put("inside", "2");
  world.disk().set_read_only("/in", true);
  Process process(world);
  auto& files = process.env().files;
  EXPECT_EQ(files.create("in/b", Create::kNew).error().code, Code::kRefused);
  EXPECT_EQ(files.remove("/in/a").error().code, Code::kRefused);
  EXPECT_EQ(files.rename("inside", "in/b").error().code, Code::kRefused);
  EXPECT_EQ(files.link("in/a", "b").error().code, Code::kRefused);
  EXPECT_TRUE(files.open("in/a"));
  EXPECT_EQ(files.rename("inside", "outside"), ok());
  world.disk().set_read_only("/in", false);
  EXPECT_TRUE(files.create("in/b", Create::kNew));
}

TEST(SimDisk, AFilesystemWithoutLocksSaysSo) {
  SimOptions options;
  options.has_locks = false;
  World world(1, options);
  Process process(world);
  const auto outcome = *process.env().files.lock("lock");
  EXPECT_EQ(outcome.kind, env::LockOutcome::Kind::kNoLocks);
  EXPECT_NE(outcome.why.find("lock: this filesystem has no locks"), std::string::npos);
}

TEST(SimDisk, OpenFilesAreCountedAndLimited) {
  SimOptions options;
  options.open_files_max = 2;
  World world(1, options);
  world.disk().put("a", "1");
  Process process(world);
  auto& files = process.env().files;
  {
    auto one = files.open("a");
    auto two = files.create("b", Create::kNew);
    EXPECT_EQ(files.open("a").error().code, Code::kExhausted);
    EXPECT_EQ(files.lock("lock").error().code, Code::kExhausted);
    EXPECT_EQ(world.disk().open_handles(), 2u);
    EXPECT_EQ((*two)->close(), ok());
    EXPECT_TRUE(files.open("a"));
  }
  EXPECT_EQ(world.disk().open_handles(), 0u);
  EXPECT_EQ(world.disk().open_handles_max(), 2u);
}

TEST(SimDisk, PutReplacesAFileByAnotherOne) {
  World world(1);
  world.disk().put("d/a", "old");
  Process process(world);
  auto& files = process.env().files;
  const auto before = files.info("d/a")->inode;
  const auto reader = files.open("d/a");
  world.disk().put("d/a", "new");
  EXPECT_NE(files.info("d/a")->inode, before);
  Bytes three(3);
  EXPECT_EQ(*(*reader)->read_at(0, three), 3u);
  EXPECT_EQ(text_of(three), "old");
  process.cut();
  world.disk().crash(CrashMode::kKeepNothing);
  EXPECT_EQ(seen(world.disk()), "d/a=new");
}

TEST(SimDisk, TheHookAfterACallKnowsWhatItCameTo) {
  World world(1);
  Process process(world);
  std::vector<std::optional<Code>> failures;
  world.disk().after_each_call([&](const IoCall& call) { failures.push_back(call.failure); });
  EXPECT_FALSE(process.env().files.open("a"));
  EXPECT_TRUE(process.env().files.list("."));
  EXPECT_EQ(failures, (std::vector<std::optional<Code>>{Code::kNotFound, std::nullopt}));
}

TEST(SimDisk, EveryCallIsNumberedAndShown) {
  World world(1);
  Process process(world);
  std::vector<std::string> calls;
  world.disk().before_each_call([&](const IoCall& call) {
    calls.push_back(std::to_string(call.number) + " " + std::string(name_of(call.kind)) + " " +
                    call.path + " " + call.to + " " + std::to_string(call.bytes));
    return ok();
  });
  EXPECT_EQ(replace_file(process.env().files, "d", bytes_of("new")), ok());
  EXPECT_EQ(calls, (std::vector<std::string>{"1 create d.tmp  0", "2 append d.tmp  3",
                                             "3 sync d.tmp  0", "4 close d.tmp  0",
                                             "5 rename d.tmp d 0", "6 sync directory .  0"}));
}

}  // namespace
}  // namespace weir::sim
