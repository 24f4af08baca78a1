// Every rule of what a crash may leave, shown by short sequences: the outcomes over many crashes are
// exactly those that are allowed.

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "weir/env/sim/internal/disk_in_words.h"
#include "weir/env/sim/process.h"
#include "weir/env/sim/sim_disk.h"
#include "weir/env/sim/world.h"

namespace weir::sim {
namespace {

using env::Create;

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

}  // namespace
}  // namespace weir::sim
