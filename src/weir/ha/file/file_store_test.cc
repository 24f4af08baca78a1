#include "weir/ha/file/file_store.h"

#include <set>

#include "tests/support/faulty_files.h"
#include "tests/support/memory_files.h"
#include "tests/support/temporary_directory.h"
#include "weir/base/mutant.h"
#include "weir/env/posix/posix_file_system.h"
#include "weir/ha/api/store_contract.h"
#include "weir/ha/file/run_text.h"

namespace weir::ha {
namespace {

using test::FaultyFiles;
using test::MemoryFiles;

constexpr const char* kDirectory = "/data/sensor%20averages";
constexpr const char* kRun = "/data/sensor%20averages/run";

JobId job(std::uint64_t n) { return make_job_id(1'700'000'000'000, n, n); }

Result<std::unique_ptr<Store>> open(env::FileSystem& files, std::uint64_t fresh = 1) {
  return FileStore::open(
      files, {.checkpoint_dir = "/data", .job_name = "sensor averages", .fresh = job(fresh)});
}

std::optional<RunRecord> on_disk(MemoryFiles& disk) {
  const auto bytes = disk.peek(kRun);
  if (!bytes) return std::nullopt;
  const auto record = parse_run_text(text_of(*bytes), kRun);
  EXPECT_TRUE(record) << record.error().to_string();
  return record ? std::optional(*record) : std::nullopt;
}

class PosixWorld final : public StoreWorld {
 public:
  Result<std::unique_ptr<Store>> open(JobId fresh) override {
    return FileStore::open(files_,
                           {.checkpoint_dir = directory_, .job_name = "a/b", .fresh = fresh});
  }

 private:
  env::PosixFileSystem files_;
  const test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

class KeptDiskWorld final : public StoreWorld {
 public:
  Result<std::unique_ptr<Store>> open(JobId fresh) override {
    return FileStore::open(disk_, {.checkpoint_dir = "/data", .job_name = "a/b", .fresh = fresh});
  }

 private:
  MemoryFiles disk_;
};

INSTANTIATE_TEST_SUITE_P(KeptDisk, StoreContract,
                         testing::Values([] { return std::make_unique<KeptDiskWorld>(); }));
INSTANTIATE_TEST_SUITE_P(Posix, StoreContract,
                         testing::Values([] { return std::make_unique<PosixWorld>(); }));

TEST(FileStore, WhatIsDurableSurvivesAPowerCut) {
  MemoryFiles disk;
  RunRecord want;
  {
    const auto store = *open(disk);
    ASSERT_TRUE(store->write(MovePointer{{{3}, "x/chk-3/_metadata"}, {}}));
    want = store->record();
  }
  disk.cut_power();
  EXPECT_EQ((*open(disk))->found(), want);
  disk.cut_power();
  EXPECT_EQ((*open(disk))->record().epoch, Epoch{3});
}

TEST(FileStore, ASecondProcessIsToldWhichLockAndWhatToDo) {
  MemoryFiles disk;
  const auto first = *open(disk);
  const auto before = *disk.peek(kRun);
  const auto second = open(disk, 2);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kRefused);
  for (const std::string mention :
       {"'sensor averages'", "/data/sensor%20averages/lock", "stop the one", "--checkpoint-dir"})
    EXPECT_NE(second.error().what.find(mention), std::string::npos) << second.error().what;
  EXPECT_EQ(*disk.peek(kRun), before);
}

// Not to be taken for another process that leads the job.
TEST(FileStore, ADirectoryThatMayNotBeWrittenSaysToChooseAnother) {
  for (const bool is_new : {true, false}) {
    std::set<std::string> looked_at;
    for (std::uint64_t k = 1;; ++k) {
      MemoryFiles disk;
      if (!is_new) {
        ASSERT_TRUE(open(disk));
      }
      FaultyFiles files(disk);
      files.fail(k, {.code = Code::kRefused});
      const auto refused = open(files);
      if (files.calls() < k) break;
      const auto call = *files.failed_call();
      looked_at.insert(call.name);
      ASSERT_FALSE(refused) << call.name;
      EXPECT_NE(refused.error().code, Code::kRefused) << refused.error().to_string();
      for (const std::string word : {"/data/sensor%20averages", "--checkpoint-dir that this user"})
        EXPECT_NE(refused.error().what.find(word), std::string::npos) << refused.error().what;
      EXPECT_EQ(refused.error().what.find(" process"), std::string::npos) << refused.error().what;
    }
    for (const std::string name : {"make_directories", "lock", "open", "create", "rename"})
      EXPECT_TRUE(looked_at.contains(name)) << name;
    EXPECT_EQ(looked_at.contains("list"), is_new);
  }
}

// Whoever leads the job stops for good when it hears that another does.
TEST(FileStore, APermissionThatIsTakenAwayLaterIsNotCalledAnotherProcess) {
  std::uint64_t looked_at = 0;
  for (std::uint64_t k = 1;; ++k) {
    MemoryFiles disk;
    FaultyFiles files(disk);
    const auto store = *open(files);
    const auto opened = files.calls();
    files.fail(opened + k, {.code = Code::kRefused});
    const auto written = store->write(ReserveIds{{16}});
    if (files.calls() < opened + k) break;
    ++looked_at;
    ASSERT_FALSE(written) << files.failed_call()->name;
    EXPECT_NE(written.error().code, Code::kRefused) << written.error().to_string();
    if (written.fate() != Fate::kUnknown) continue;
    files.fail(files.calls() + 2, {.code = Code::kRefused});
    EXPECT_NE(store->read_back().error().code, Code::kRefused);
  }
  EXPECT_GT(looked_at, 6u);
}

TEST(FileStore, ADirectoryInTheLocksPlaceIsNeitherAnotherProcessNorAFilesystemWithoutLocks) {
  MemoryFiles disk;
  ASSERT_TRUE(disk.make_directories(std::string(kDirectory) + "/lock"));
  const auto refused = open(disk);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid) << refused.error().to_string();
  EXPECT_NE(refused.error().what.find("/data/sensor%20averages/lock: Is a directory"),
            std::string::npos)
      << refused.error().what;
  for (const std::string word : {"process", "locks"})
    EXPECT_EQ(refused.error().what.find(word), std::string::npos) << refused.error().what;
}

TEST(FileStore, WithoutLocksNothingStarts) {
  MemoryFiles disk;
  disk.set_locks(false);
  const auto refused = open(disk);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
  EXPECT_NE(refused.error().what.find("/data/sensor%20averages/lock"), std::string::npos);
  EXPECT_TRUE(disk.tree(kDirectory).empty());
}

TEST(FileStore, ADamagedRecordIsNeverTakenForNone) {
  for (const char* damaged : {"", "weir-run 1\n", "weir-run 2\nepoch=1\n", "garbage"}) {
    MemoryFiles disk;
    ASSERT_TRUE(open(disk));
    const auto view = bytes_of(damaged);
    disk.poke(kRun, Bytes(view.begin(), view.end()));
    const auto refused = open(disk);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kCorrupt) << refused.error().to_string();
    EXPECT_NE(refused.error().what.find(kRun), std::string::npos);
    EXPECT_EQ(text_of(*disk.peek(kRun)), damaged);
  }
}

TEST(FileStore, AMissingRecordBesideARunIsNotAFirstStart) {
  MemoryFiles disk;
  ASSERT_TRUE(open(disk));
  ASSERT_TRUE(disk.make_directories(env::join(kDirectory, job(1).to_hex())));
  ASSERT_TRUE(disk.remove(kRun));
  const auto refused = open(disk);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
  EXPECT_NE(refused.error().what.find(job(1).to_hex()), std::string::npos);
  EXPECT_FALSE(disk.peek(kRun));
}

TEST(FileStore, AJobNameThatIsNoFileNameIsRefused) {
  MemoryFiles disk;
  for (const std::string& name : {std::string(), std::string(300, 'a')})
    EXPECT_EQ(FileStore::open(disk, {.checkpoint_dir = "/data", .job_name = name, .fresh = job(1)})
                  .error()
                  .code,
              Code::kInvalid);
  EXPECT_EQ(*job_directory("/data/", "../x"), "/data/%2E.%2Fx");
}

TEST(FileStore, AProcessThatWasTakenOverWritesNothing) {
  MemoryFiles disk;
  const auto store = *open(disk);
  auto theirs = store->record();
  theirs.epoch.value++;
  const auto text = run_text(theirs);
  const auto view = bytes_of(text);
  disk.poke(kRun, Bytes(view.begin(), view.end()));
  const auto written = store->write(ReserveIds{{16}});
  EXPECT_EQ(written.fate(), Fate::kAbsent);
  EXPECT_EQ(written.error().code, Code::kRefused);
  EXPECT_NE(written.error().what.find("epoch 2 is in force, ours is 1"), std::string::npos);
  EXPECT_EQ(text_of(*disk.peek(kRun)), text);
}

TEST(FileStore, ARecordThatVanishedIsNotWrittenAnew) {
  MemoryFiles disk;
  const auto store = *open(disk);
  ASSERT_TRUE(disk.remove(kRun));
  const auto written = store->write(ReserveIds{{16}});
  EXPECT_EQ(written.fate(), Fate::kAbsent);
  EXPECT_EQ(written.error().code, Code::kCorrupt);
  EXPECT_FALSE(disk.peek(kRun));
}

// One life of a process: what it was promised, and what it asked for last.
struct Life {
  std::optional<RunRecord> promised;  // durable, as it was told
  std::optional<RunRecord> asked;     // the record after the write whose fate is not durable
  std::optional<Written> last;
  std::unique_ptr<Store> store;
};

Life live(env::FileSystem& files) {
  Life life;
  auto opened = open(files);
  if (!opened) return life;
  life.store = std::move(*opened);
  life.promised = life.store->record();
  const Change changes[] = {
      ReserveIds{{16}}, MovePointer{{{1}, "x/chk-1/_metadata"}, {}},
      MovePointer{Pointer{{2}, "x/chk-2/_metadata"}, {Pointer{{1}, "x/chk-1/_metadata"}}}};
  for (const auto& change : changes) {
    life.asked = apply(*life.promised, change);
    life.last = life.store->write(change);
    if (!*life.last) return life;
    life.promised = life.asked;
  }
  return life;
}

// What the next start may find: what was promised, or what was asked for and not denied.
void expect_old_or_new(MemoryFiles& disk, const Life& life) {
  const auto found = on_disk(disk);
  if (!life.promised) {  // Only the epoch was asked for, and nobody was told.
    EXPECT_TRUE(!found || *found == (RunRecord{.job = job(1), .epoch = {1}}));
    return;
  }
  ASSERT_TRUE(found);
  const bool is_denied = life.last && life.last->fate() == Fate::kAbsent;
  EXPECT_TRUE(*found == *life.promised || (!is_denied && *found == *life.asked));
}

TEST(FileStore, WithAnyCallFailingTheRecordIsTheOldOrTheNewAsItWasTold) {
  for (const auto deed : {FaultyFiles::Deed::kNotDone, FaultyFiles::Deed::kDone}) {
    for (std::uint64_t k = 1;; ++k) {
      MemoryFiles disk;
      FaultyFiles files(disk);
      files.fail(k, {.code = Code::kUnavailable, .deed = deed});
      auto life = live(files);
      const auto failed = files.failed_call();
      if (!failed) {
        EXPECT_GT(k, 30u);
        break;
      }
      SCOPED_TRACE(std::to_string(k) + " " + failed->name + " " + failed->path);
      expect_old_or_new(disk, life);
      if (life.last && !*life.last) {
        const auto fate = life.last->fate();
        EXPECT_EQ(fate == Fate::kUnknown, failed->name == "rename");
        EXPECT_EQ(fate == Fate::kSyncFailed, failed->name == "sync_directory");
        EXPECT_EQ(life.store->record(), *life.promised);
      }
      if (life.last && life.last->fate() == Fate::kUnknown) {
        EXPECT_EQ(life.store->read_back(), Written::durable());
        EXPECT_EQ(life.store->record(),
                  deed == FaultyFiles::Deed::kDone ? *life.asked : *life.promised);
        EXPECT_EQ(on_disk(disk), life.store->record());
        disk.cut_power();
        EXPECT_EQ(on_disk(disk), life.store->record());
        EXPECT_TRUE(life.store->write(ReserveIds{{32}}));
      }
      if (life.last && life.last->fate() == Fate::kSyncFailed) {
        EXPECT_EQ(life.store->write(ReserveIds{{32}}).fate(), Fate::kSyncFailed);
        EXPECT_EQ(life.store->read_back().fate(), Fate::kSyncFailed);
      }
      if (life.last && life.last->fate() == Fate::kAbsent) {
        EXPECT_TRUE(life.store->write(ReserveIds{{32}}));  // The next one gets through.
        EXPECT_EQ(life.store->record().ids_reserved, CheckpointId{32});
      }
      life.store.reset();
      const auto next = open(disk);
      ASSERT_TRUE(next) << next.error().to_string();
      EXPECT_GE((*next)->record().epoch, Epoch{1});
    }
  }
}

TEST(FileStore, ADeathAtAnyCallLeavesTheOldRecordOrTheNew) {
  for (std::uint64_t k = 1;; ++k) {
    MemoryFiles disk;
    FaultyFiles files(disk);
    files.die_at(k);
    auto life = live(files);
    if (files.calls() < k) break;
    SCOPED_TRACE(std::to_string(k) + " " + files.log()[k - 1].name);
    life.store.reset();
    expect_old_or_new(disk, life);
    disk.cut_power();
    expect_old_or_new(disk, life);
    const auto next = open(disk, 2);
    ASSERT_TRUE(next) << next.error().to_string();
    if (life.promised) {
      EXPECT_EQ((*next)->record().job, job(1));
      EXPECT_GT((*next)->record().epoch, life.promised->epoch);
    }
  }
}

TEST(FileStore, AWriteAfterAnUnknownFateFindsOutFirst) {
  for (const auto deed : {FaultyFiles::Deed::kNotDone, FaultyFiles::Deed::kDone}) {
    MemoryFiles disk;
    FaultyFiles files(disk);
    const auto store = *open(files);
    // open, size, read of the old record; create, append, sync, close of the new; then its rename.
    files.fail(files.calls() + 8, {.deed = deed});
    EXPECT_EQ(store->write(MovePointer{{{1}, "x"}, {}}).fate(), Fate::kUnknown);
    ASSERT_EQ(files.failed_call()->name, "rename");
    EXPECT_TRUE(store->write(ReserveIds{{16}}));
    EXPECT_EQ(store->record().newest.has_value(), deed == FaultyFiles::Deed::kDone);
    EXPECT_EQ(pointer_fate(*store, store->read_back(), {1}).fate(),
              deed == FaultyFiles::Deed::kDone ? Fate::kDurable : Fate::kAbsent);
  }
}

TEST(FileStore, AReadBackThatFailsIsAskedAgainUnlessItsSyncFailed) {
  for (const std::string fails : {"sync_directory", "open"}) {
    MemoryFiles disk;
    FaultyFiles files(disk);
    const auto store = *open(files);
    files.fail(files.calls() + 8, {.deed = FaultyFiles::Deed::kDone});
    ASSERT_EQ(store->write(MovePointer{{{1}, "x"}, {}}).fate(), Fate::kUnknown);
    files.fail(files.calls() + (fails == "open" ? 2 : 1), {});
    const auto first = store->read_back();
    ASSERT_EQ(files.failed_call()->name, fails);
    if (fails == "open") {
      EXPECT_EQ(first.fate(), Fate::kUnknown);
      EXPECT_EQ(pointer_fate(*store, store->read_back(), {1}), Written::durable());
    } else {
      EXPECT_EQ(first.fate(), Fate::kSyncFailed);
      EXPECT_EQ(store->read_back().fate(), Fate::kSyncFailed);
    }
  }
}

#if WEIR_MUTANTS
TEST(FileStore, EveryDroppedSyncIsSeenByTheDiskThatForgets) {
  for (const auto dropped : {Mutant::kMetadataSyncDropped, Mutant::kDirectorySyncDropped}) {
    MemoryFiles disk;
    switch_on(dropped);
    const auto life = live(disk);
    switch_on(Mutant::kNone);
    ASSERT_TRUE(*life.last);
    disk.cut_power();
    const auto bytes = disk.peek(kRun);
    EXPECT_FALSE(bytes && text_of(*bytes) == run_text(*life.promised)) << static_cast<int>(dropped);
  }
}
#endif

}  // namespace
}  // namespace weir::ha
