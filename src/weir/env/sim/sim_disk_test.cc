// Every rule of what a crash may leave, shown by short sequences: the outcomes over many crashes
// are exactly those that are allowed.

#include "weir/env/sim/sim_disk.h"

#include <gtest/gtest.h>

#include <set>

#include "weir/env/api/file_system_contract.h"
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

// The disk as one line: "a=text b=… d/c=…", with '.' for a zero byte.
std::string seen(SimDisk& disk) {
  std::string line;
  for (const auto& path : disk.paths()) {
    std::string text = *disk.content(path);
    std::replace(text.begin(), text.end(), '\0', '.');
    line.append(line.empty() ? "" : " ").append(path).append("=").append(text);
  }
  return line;
}

using Outcomes = std::set<std::string>;

// What a crash may leave after `work`, over many draws.
Outcomes outcomes(const std::function<void(env::FileSystem&)>& work,
                  CrashMode mode = CrashMode::kRandom) {
  Outcomes found;
  for (std::uint64_t seed = 0; seed != 2000; ++seed) {
    World world(seed);
    {
      Process process(world);
      work(process.env().files);
    }
    world.disk().crash(mode);
    found.insert(seen(world.disk()));
  }
  return found;
}

std::unique_ptr<env::WritableFile> write(env::FileSystem& files, const std::string& path,
                                         std::string_view text) {
  auto file = files.create(path, Create::kOrTruncate);
  EXPECT_TRUE(file);
  EXPECT_EQ((*file)->append(bytes_of(text)), ok());
  return std::move(*file);
}

// A durable file.
void settle(env::FileSystem& files, const std::string& path, std::string_view text) {
  EXPECT_EQ(write(files, path, text)->sync(), ok());
  EXPECT_EQ(files.sync_directory(env::parent_of(path)), ok());
}

TEST(SimDisk, WhatIsSyncedWithItsNameSurvives) {
  EXPECT_EQ(outcomes([](auto& files) { settle(files, "a", "xy"); }), (Outcomes{"a=xy"}));
}

TEST(SimDisk, ContentWithoutANameIsLost) {
  const auto work = [](env::FileSystem& files) { EXPECT_EQ(write(files, "a", "x")->sync(), ok()); };
  EXPECT_EQ(outcomes(work), (Outcomes{"", "a=x"}));
  EXPECT_EQ(outcomes(work, CrashMode::kKeepNothing), (Outcomes{""}));
}

TEST(SimDisk, ANameWithoutContentIsEmptyTornOrZeros) {
  const auto work = [](env::FileSystem& files) {
    write(files, "a", "xy");
    EXPECT_EQ(files.sync_directory("."), ok());
  };
  EXPECT_EQ(outcomes(work), (Outcomes{"a=", "a=x", "a=xy", "a=x.", "a=..", "a=."}));
  EXPECT_EQ(outcomes(work, CrashMode::kKeepNothing), (Outcomes{"a="}));
}

TEST(SimDisk, UnsyncedAppendsSurviveInAnyOrder) {
  const auto found = outcomes([](env::FileSystem& files) {
    settle(files, "a", "12");
    auto file = files.create("b", Create::kNew);
    EXPECT_EQ((*file)->append(bytes_of("A")), ok());
    EXPECT_EQ((*file)->sync(), ok());
    EXPECT_EQ(files.sync_directory("."), ok());
    EXPECT_EQ((*file)->append(bytes_of("B")), ok());
    EXPECT_EQ((*file)->append(bytes_of("C")), ok());
  });
  EXPECT_EQ(found, (Outcomes{"a=12 b=A", "a=12 b=AB", "a=12 b=ABC", "a=12 b=A.C", "a=12 b=A.",
                             "a=12 b=A..", "a=12 b=AB."}));
}

TEST(SimDisk, LargeAppendsTearAtSectors) {
  const auto found = outcomes([](env::FileSystem& files) {
    write(files, "a", std::string(512, 'x') + std::string(512, 'y'));
    EXPECT_EQ(files.sync_directory("."), ok());
  });
  EXPECT_TRUE(found.contains("a=" + std::string(512, '.') + std::string(512, 'y')));
  EXPECT_TRUE(found.contains("a=" + std::string(512, 'x') + std::string(512, '.')));
  EXPECT_TRUE(found.contains("a=" + std::string(512, 'x') + std::string(512, 'y')));
  for (const auto& outcome : found) {
    // Each sector is of one kind up to where the write or the length was cut off.
    for (std::size_t i = 2; i + 1 < outcome.size(); ++i) {
      const char next = outcome[i + 1];
      EXPECT_TRUE(next == outcome[i] || next == '.' || (i + 1 - 2) % 512 == 0) << outcome;
    }
  }
}

TEST(SimDisk, ATruncationThatIsNotSyncedMayMixWithWhatWasThere) {
  const auto found = outcomes([](env::FileSystem& files) {
    settle(files, "a", "old");
    write(files, "a", "N");
  });
  EXPECT_EQ(found, (Outcomes{"a=old", "a=", "a=N", "a=Nld", "a=."}));
}

TEST(SimDisk, RenameOverAFileLeavesTheOldOrTheNewOne) {
  const auto work = [](env::FileSystem& files) {
    settle(files, "a", "old");
    EXPECT_EQ(write(files, "a.tmp", "new")->sync(), ok());
    EXPECT_EQ(files.rename("a.tmp", "a"), ok());
  };
  // The new name, once it exists, is either of the two: never both, never none.
  EXPECT_EQ(outcomes(work), (Outcomes{"a=old", "a=old a.tmp=new", "a=new"}));
  EXPECT_EQ(outcomes(work, CrashMode::kKeepNothing), (Outcomes{"a=old"}));
}

TEST(SimDisk, RenameBeforeSyncMayShowAnEmptyFile) {
  const auto found = outcomes([](env::FileSystem& files) {
    settle(files, "a", "o");
    write(files, "a.tmp", "n");
    EXPECT_EQ(files.rename("a.tmp", "a"), ok());
    EXPECT_EQ(files.sync_directory("."), ok());
  });
  EXPECT_EQ(found, (Outcomes{"a=", "a=n", "a=."}));
}

TEST(SimDisk, ReplaceFileLeavesOldOrNewWhereverItIsCut) {
  for (std::uint64_t cut_after = 1; cut_after != 8; ++cut_after) {
    for (std::uint64_t seed = 0; seed != 100; ++seed) {
      World world(seed);
      bool is_done = false;
      {
        Process process(world);
        settle(process.env().files, "a", "old");
        const auto start = world.disk().call_count();
        world.disk().after_each_call([&](const IoCall& call) {
          if (call.number == start + cut_after) process.cut();
        });
        is_done = static_cast<bool>(replace_file(process.env().files, "a", bytes_of("new")));
        world.disk().after_each_call(nullptr);
      }
      world.disk().crash(CrashMode::kRandom);
      const auto content = *world.disk().content("a");
      EXPECT_TRUE(content == "new" || (content == "old" && !is_done)) << content;
      EXPECT_EQ(is_done, cut_after > 6);
    }
  }
}

TEST(SimDisk, ASyncCoversOnlyWhatWasThereWhenItBegan) {
  World world(1);
  Process process(world);
  auto& files = process.env().files;
  const auto file = write(files, "a", "1");
  world.disk().before_each_call([&](const IoCall& call) {
    if (call.kind == IoKind::kSync) std::ignore = file->append(bytes_of("2"));  // Seen below.
    if (call.kind == IoKind::kSyncDirectory) std::ignore = files.create("b", Create::kNew);
    return ok();
  });
  EXPECT_EQ(file->sync(), ok());
  EXPECT_EQ(files.sync_directory("."), ok());
  EXPECT_EQ(seen(world.disk()), "a=12 b=");
  process.cut();
  world.disk().crash(CrashMode::kKeepNothing);
  EXPECT_EQ(seen(world.disk()), "a=1");
}

TEST(SimDisk, NamesDoNotKeepStepWithEachOther) {
  const auto found = outcomes([](env::FileSystem& files) {
    EXPECT_EQ(write(files, "a", "1")->sync(), ok());
    EXPECT_EQ(write(files, "b", "2")->sync(), ok());
  });
  EXPECT_EQ(found, (Outcomes{"", "a=1", "b=2", "a=1 b=2"}));
}

TEST(SimDisk, OneNameGoesThroughItsStatesInOrder) {
  const auto found = outcomes([](env::FileSystem& files) {
    EXPECT_EQ(write(files, "a", "1")->sync(), ok());
    EXPECT_EQ(files.remove("a"), ok());
    EXPECT_EQ(write(files, "a", "2")->sync(), ok());
  });
  EXPECT_EQ(found, (Outcomes{"", "a=1", "a=2"}));
  EXPECT_EQ(outcomes([](env::FileSystem& files) {
              settle(files, "a", "1");
              EXPECT_EQ(files.rename("a", "b"), ok());
              EXPECT_EQ(files.rename("b", "c"), ok());
            }),
            (Outcomes{"a=1", "b=1", "c=1"}));  // Never two of them, and never none.
}

TEST(SimDisk, ARemovedNameComesBackUntilItsDirectoryIsSynced) {
  EXPECT_EQ(outcomes([](env::FileSystem& files) {
              settle(files, "a", "1");
              EXPECT_EQ(files.remove("a"), ok());
            }),
            (Outcomes{"", "a=1"}));
  EXPECT_EQ(outcomes([](env::FileSystem& files) {
              settle(files, "a", "1");
              EXPECT_EQ(files.remove("a"), ok());
              EXPECT_EQ(files.sync_directory("/"), ok());
            }),
            (Outcomes{""}));
}

TEST(SimDisk, ALinkIsANameOfItsOwn) {
  EXPECT_EQ(outcomes([](env::FileSystem& files) {
              settle(files, "a", "1");
              EXPECT_EQ(files.link("a", "b"), ok());
              EXPECT_EQ(files.remove("a"), ok());
            }),
            (Outcomes{"a=1", "b=1", "a=1 b=1", ""}));
}

TEST(SimDisk, ARenameBetweenDirectoriesIsTwoThings) {
  const auto work = [](env::FileSystem& files) {
    EXPECT_EQ(files.make_directories("d"), ok());
    settle(files, "a", "1");
    EXPECT_EQ(files.rename("a", "d/a"), ok());
  };
  EXPECT_EQ(outcomes(work), (Outcomes{"", "a=1", "a=1 d/a=1", "d/a=1"}));
  EXPECT_EQ(outcomes([&](env::FileSystem& files) {
              work(files);
              EXPECT_EQ(files.sync_directory("d"), ok());
            }),
            (Outcomes{"a=1 d/a=1", "d/a=1"}));
}

TEST(SimDisk, ANewDirectoryNeedsItsParentSynced) {
  // Without make_directories(), whose syncs are the point: the bare call, by a volume.
  Outcomes found;
  for (std::uint64_t seed = 0; seed != 100; ++seed) {
    Volume volume;
    ASSERT_EQ(volume.make_directory("d"), ok());
    const auto file = *volume.create("d/a", Create::kNew);
    volume.append(*file, bytes_of("1"));
    volume.sync(*file, volume.mark());
    volume.sync_names(**volume.find_directory("d"), volume.mark());
    Random random(seed);
    volume.crash(CrashMode::kRandom, random);
    const auto paths = volume.paths();
    found.insert(paths.empty() ? "" : paths[0]);
  }
  EXPECT_EQ(found, (Outcomes{"", "d/a"}));
  EXPECT_EQ(outcomes([](env::FileSystem& files) {
              EXPECT_EQ(files.make_directories("d/e"), ok());
              settle(files, "d/e/a", "1");
            }),
            (Outcomes{"d/e/a=1"}));
}

TEST(SimDisk, TheDeathOfAProcessLosesNothingAndMakesNothingDurable) {
  World world(1);
  {
    Process process(world);
    write(process.env().files, "a", "1");
  }
  world.disk().crash(CrashMode::kKeepEverything);
  EXPECT_EQ(seen(world.disk()), "a=1");
  world.disk().crash(CrashMode::kKeepNothing);
  EXPECT_EQ(seen(world.disk()), "");
}

TEST(SimDisk, AFailedSyncLosesForGoodWhatCanStillBeRead) {
  World world(1);
  {
    Process process(world);
    auto& files = process.env().files;
    settle(files, "a", "1");
    settle(files, "b", "");
    auto file = files.create("b", Create::kOrTruncate);
    ASSERT_EQ((*file)->append(bytes_of("lost")), ok());
    world.disk().before_each_call([](const IoCall& call) -> Status {
      if (call.kind == IoKind::kSync) return Error{Code::kUnavailable, "input/output error"};
      return ok();
    });
    EXPECT_EQ((*file)->sync().error().code, Code::kUnavailable);
    world.disk().before_each_call(nullptr);
    EXPECT_EQ(seen(world.disk()), "a=1 b=lost");
    EXPECT_EQ((*file)->sync(), ok());  // As if nothing had been.
    ASSERT_EQ((*file)->append(bytes_of("+")), ok());
    EXPECT_EQ((*file)->sync(), ok());
  }
  world.disk().crash(CrashMode::kRandom);
  EXPECT_EQ(seen(world.disk()), "a=1 b=....+");
}

TEST(SimDisk, AFailedDirectorySyncMakesNothingDurableAndALaterOneDoes) {
  World world(1);
  Process process(world);
  auto& files = process.env().files;
  EXPECT_EQ(write(files, "a", "1")->sync(), ok());
  world.disk().before_each_call([](const IoCall&) -> Status {
    return Error{Code::kUnavailable, "input/output error"};
  });
  EXPECT_FALSE(files.sync_directory("."));
  world.disk().before_each_call(nullptr);
  EXPECT_EQ(files.sync_directory("."), ok());
  process.cut();
  world.disk().crash(CrashMode::kKeepNothing);
  EXPECT_EQ(seen(world.disk()), "a=1");
}

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
  EXPECT_NEAR(renamed, made * 3 / 4, 50);
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
  EXPECT_EQ(process.env().files.lock("lock").error().code, Code::kInvalid);
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
