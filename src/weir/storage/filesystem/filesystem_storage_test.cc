#include "weir/storage/filesystem/filesystem_storage.h"

#include <filesystem>

#include "tests/support/faulty_files.h"
#include "tests/support/memory_files.h"
#include "tests/support/temporary_directory.h"
#include "weir/base/mutant.h"
#include "weir/env/posix/posix_file_system.h"
#include "weir/storage/api/storage_contract.h"

namespace weir::storage {
namespace {

using test::FaultyFiles;
using test::MemoryFiles;

constexpr const char* kJob = "/data/averages";
constexpr const char* kRun = "/data/averages/0190";

class FilesystemWorld final : public StorageWorld {
 public:
  CheckpointStorage& storage() override { return storage_; }
  std::vector<std::string> names() override { return disk_.tree(kRun); }
  void overwrite(const std::string& name, Bytes bytes) override {
    disk_.poke(env::join(kRun, name), std::move(bytes));
  }
  void erase(const std::string& name) override { EXPECT_TRUE(disk_.remove(env::join(kRun, name))); }
  std::vector<std::string> names_of_job() override { return disk_.tree(kJob); }
  void put_in_job(const std::string& name, Bytes bytes) override {
    const auto path = env::join(kJob, name);
    ASSERT_TRUE(disk_.make_directories(env::parent_of(path)));
    disk_.poke(path, std::move(bytes));
  }

 private:
  MemoryFiles disk_;
  FilesystemStorage storage_{disk_, {.directory = kRun, .epoch = {3}}};
};

// The same on this machine's own disk.
class PosixWorld final : public StorageWorld {
 public:
  CheckpointStorage& storage() override { return storage_; }
  std::vector<std::string> names() override { return names_below(run_); }
  void overwrite(const std::string& name, Bytes bytes) override {
    const auto file = files_.create(env::join(run_, name), env::Create::kOrTruncate);
    ASSERT_TRUE(file);
    EXPECT_TRUE((*file)->append(bytes));
  }
  void erase(const std::string& name) override {
    EXPECT_TRUE(files_.remove(env::join(run_, name)));
  }
  std::vector<std::string> names_of_job() override { return names_below(env::parent_of(run_)); }
  void put_in_job(const std::string& name, Bytes bytes) override {
    const auto path = env::join(env::parent_of(run_), name);
    ASSERT_TRUE(files_.make_directories(env::parent_of(path)));
    const auto file = files_.create(path, env::Create::kOrTruncate);
    ASSERT_TRUE(file);
    EXPECT_TRUE((*file)->append(bytes));
  }

 private:
  static std::vector<std::string> names_below(const std::string& path) {
    std::vector<std::string> out;
    if (!std::filesystem::exists(path)) return out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      if (!entry.is_directory())
        out.push_back(std::filesystem::relative(entry.path(), path).string());
    std::sort(out.begin(), out.end());
    return out;
  }

  env::PosixFileSystem files_;
  const test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
  const std::string run_ = directory_ + "/averages/0190";
  FilesystemStorage storage_{files_, {.directory = run_, .epoch = {3}}};
};

INSTANTIATE_TEST_SUITE_P(Filesystem, CheckpointStorageContract,
                         testing::Values([] { return std::make_unique<FilesystemWorld>(); }));
INSTANTIATE_TEST_SUITE_P(Posix, CheckpointStorageContract,
                         testing::Values([] { return std::make_unique<PosixWorld>(); }));

// What a test does to a storage, and what it got to know of the outcome.
struct Outcome {
  std::vector<checkpoint::FileHandle> handles;
  std::optional<Written> published;
  bool is_done = false;
};

// A checkpoint of two data files, from the first create to publish.
Outcome take_checkpoint(env::FileSystem& files) {
  FilesystemStorage storage(files, {.directory = kRun, .epoch = {3}});
  Outcome out;
  for (const char* name : {"chk-7/a", "chk-7/b"}) {
    const auto stream = storage.create(name);
    if (!stream || !(*stream)->append(bytes_of("state of ")) || !(*stream)->append(bytes_of(name)))
      return out;
    const auto handle = (*stream)->commit(checksum(bytes_of("state of " + std::string(name))));
    if (!handle) return out;
    out.handles.push_back(*handle);
  }
  out.published = storage.publish({7}, bytes_of("metadata of 7"));
  out.is_done = static_cast<bool>(*out.published);
  return out;
}

// What a durable checkpoint must survive: everything that it says is there, whole.
void expect_whole(env::FileSystem& files, const Outcome& outcome) {
  FilesystemStorage storage(files, {.directory = kRun, .epoch = {4}});
  const auto metadata = storage.read_metadata({7});
  ASSERT_TRUE(metadata) << metadata.error().to_string();
  EXPECT_EQ(text_of(*metadata), "metadata of 7");
  for (const auto& handle : outcome.handles) {
    const auto bytes = read_verified(storage, handle, 1000);
    ASSERT_TRUE(bytes) << bytes.error().to_string();
    EXPECT_EQ(text_of(*bytes), "state of " + handle.name);
  }
}

// Metadata is whole or not there; where it is, so is every file that the checkpoint needs.
void expect_whole_or_absent(MemoryFiles& disk, const Outcome& outcome) {
  FilesystemStorage storage(disk, {.directory = kRun, .epoch = {4}});
  if (storage.read_metadata({7})) expect_whole(disk, outcome);
}

TEST(FilesystemStorage, ADurableCheckpointSurvivesAPowerCut) {
  MemoryFiles disk;
  const auto outcome = take_checkpoint(disk);
  ASSERT_TRUE(outcome.is_done);
  disk.cut_power();
  expect_whole(disk, outcome);
}

// The fate that publish() must tell, by the call that failed.
Fate fate_of_failed(const FaultyFiles::Call& call) {
  if (call.name == "rename") return Fate::kUnknown;
  if (call.name == "sync_directory" && call.path == std::string(kRun) + "/chk-7")
    return Fate::kSyncFailed;
  return Fate::kAbsent;
}

TEST(FilesystemStorage, APublishWithAnyCallFailingTellsTheTruth) {
  for (const auto deed : {FaultyFiles::Deed::kNotDone, FaultyFiles::Deed::kDone}) {
    for (std::uint64_t k = 1;; ++k) {
      MemoryFiles disk;
      FaultyFiles files(disk);
      files.fail(k, {.code = Code::kExhausted, .deed = deed});
      const auto outcome = take_checkpoint(files);
      const auto failed = files.failed_call();
      if (!failed) {
        EXPECT_TRUE(outcome.is_done);
        EXPECT_GT(k, 15u);
        break;
      }
      SCOPED_TRACE(failed->name + " " + failed->path);
      EXPECT_FALSE(outcome.is_done);
      if (outcome.published) {
        EXPECT_EQ(outcome.published->fate(), fate_of_failed(*failed));
        EXPECT_NE(outcome.published->error().what.find(failed->path), std::string::npos);
      }
      const bool may_be_there = outcome.published && outcome.published->fate() != Fate::kAbsent;
      FilesystemStorage storage(disk, {.directory = kRun, .epoch = {4}});
      if (!may_be_there) {
        EXPECT_FALSE(storage.read_metadata({7}));
      }
      expect_whole_or_absent(disk, outcome);
      disk.cut_power();
      expect_whole_or_absent(disk, outcome);
      // Whatever it left, the next process can sweep.
      EXPECT_TRUE(storage.sweep({}, {8}));
      EXPECT_TRUE(disk.tree(kRun).empty());
    }
  }
}

TEST(FilesystemStorage, ADeathAtAnyCallLeavesTheCheckpointWholeOrAbsent) {
  for (std::uint64_t k = 1;; ++k) {
    MemoryFiles disk;
    FaultyFiles files(disk);
    files.die_at(k);
    const auto outcome = take_checkpoint(files);
    if (files.calls() < k) break;
    SCOPED_TRACE(files.log()[k - 1].name);
    EXPECT_FALSE(outcome.is_done);
    expect_whole_or_absent(disk, outcome);  // kill -9: the page cache stays.
    disk.cut_power();
    expect_whole_or_absent(disk, outcome);
  }
}

#if WEIR_MUTANTS
// The disk that forgets sees each missing sync, so the tests above are not theatre.
TEST(FilesystemStorage, EveryDroppedSyncIsSeenByTheDiskThatForgets) {
  for (const auto dropped :
       {Mutant::kDataSyncDropped, Mutant::kMetadataSyncDropped, Mutant::kDirectorySyncDropped}) {
    MemoryFiles disk;
    switch_on(dropped);
    const auto outcome = take_checkpoint(disk);
    switch_on(Mutant::kNone);
    ASSERT_TRUE(outcome.is_done);
    disk.cut_power();
    FilesystemStorage storage(disk, {.directory = kRun, .epoch = {4}});
    const auto metadata = storage.read_metadata({7});
    const bool is_whole = metadata && text_of(*metadata) == "metadata of 7" &&
                          read_verified(storage, outcome.handles[0], 1000);
    EXPECT_FALSE(is_whole) << static_cast<int>(dropped);
  }
}
#endif

TEST(FilesystemStorage, ADiscardWithAnyCallFailingNeverLeavesAHalfThatLooksWhole) {
  for (const bool is_dead : {false, true}) {
    for (std::uint64_t k = 1;; ++k) {
      MemoryFiles disk;
      const auto outcome = take_checkpoint(disk);
      FaultyFiles files(disk);
      if (is_dead)
        files.die_at(k);
      else
        files.fail(k, {});
      FilesystemStorage storage(files, {.directory = kRun, .epoch = {3}});
      const auto discarded = storage.discard({7}, outcome.handles);
      if (files.calls() < k) {
        EXPECT_TRUE(discarded);
        EXPECT_TRUE(disk.tree(kRun).empty());
        break;
      }
      SCOPED_TRACE(files.log()[k - 1].name + " " + files.log()[k - 1].path);
      EXPECT_FALSE(discarded);
      expect_whole_or_absent(disk, outcome);
      disk.cut_power();
      expect_whole_or_absent(disk, outcome);
      // The same again, on a good day, ends it.
      FilesystemStorage again(disk, {.directory = kRun, .epoch = {4}});
      EXPECT_TRUE(again.discard({7}, outcome.handles));
      EXPECT_TRUE(disk.tree(kRun).empty());
    }
  }
}

TEST(FilesystemStorage, ASweepGoesOnAfterAnErrorAndReportsIt) {
  MemoryFiles disk;
  FilesystemStorage storage(disk, {.directory = kRun, .epoch = {3}});
  for (const std::uint64_t id : {1, 2, 3}) ASSERT_TRUE(storage.publish({id}, {}));
  ASSERT_TRUE(disk.make_directories(std::string(kRun) + "/chk-2/a-directory"));
  const auto swept = storage.sweep({}, {9});
  ASSERT_FALSE(swept);
  EXPECT_NE(swept.error().what.find("chk-2/a-directory"), std::string::npos);
  EXPECT_TRUE(disk.tree(kRun).empty());
}

// A discard and a sweep may be at the same checkpoint: what is gone needs no complaint.
TEST(FilesystemStorage, WhatSomebodyElseRemovesMeanwhileIsNoError) {
  for (const bool is_sweep : {false, true}) {
    for (std::uint64_t k = 1;; ++k) {
      MemoryFiles disk;
      const auto outcome = take_checkpoint(disk);
      FaultyFiles files(disk);
      files.fail(k, {.code = Code::kNotFound, .deed = FaultyFiles::Deed::kDone});
      FilesystemStorage storage(files, {.directory = kRun, .epoch = {3}});
      const bool is_done =
          is_sweep ? bool(storage.sweep({}, {9})) : bool(storage.discard({7}, outcome.handles));
      if (files.calls() < k) break;
      EXPECT_TRUE(is_done) << files.log()[k - 1].name << " " << files.log()[k - 1].path;
    }
  }
}

TEST(FilesystemStorage, ASweepWithAnyCallFailingCanBeRepeated) {
  for (std::uint64_t k = 1;; ++k) {
    MemoryFiles disk;
    const auto outcome = take_checkpoint(disk);
    FaultyFiles files(disk);
    files.fail(k, {});
    FilesystemStorage storage(files, {.directory = kRun, .epoch = {4}});
    const auto swept = storage.sweep({}, {8});
    if (!files.failed_call()) break;
    EXPECT_FALSE(swept) << files.failed_call()->name;
    disk.cut_power();
    expect_whole_or_absent(disk, outcome);
    EXPECT_TRUE(storage.sweep({}, {8}));
    EXPECT_TRUE(disk.tree(kRun).empty());
  }
}

// A run with a checkpoint, beside the one that is at work.
constexpr JobId kOther{{7}};
std::string other_run() { return env::join(kJob, kOther.to_hex()); }
void put_other_run(env::FileSystem& files) {
  FilesystemStorage storage(files, {.directory = other_run(), .epoch = {1}});
  const auto stream = *storage.create("chk-7/a");
  ASSERT_TRUE(stream->append(bytes_of("state")));
  ASSERT_TRUE(stream->commit(0));
  ASSERT_TRUE(storage.publish({7}, bytes_of("metadata of 7")));
}

TEST(FilesystemStorage, OfARunThatGoesNothingIsLeft) {
  MemoryFiles disk;
  put_other_run(disk);
  FilesystemStorage storage(disk, {.directory = kRun, .epoch = {4}});
  EXPECT_EQ(*storage.sweep_other_runs({}), std::vector{kOther});
  EXPECT_EQ(disk.info(other_run()).error().code, Code::kNotFound);
}

// As where the directory belongs to another user.
TEST(FilesystemStorage, ADirectoryThatMayNotBeRemovedIsNotTakenForOneThatSomebodyUses) {
  MemoryFiles disk;
  ASSERT_TRUE(disk.make_directories(other_run()));
  FaultyFiles files(disk);
  files.refuse("remove_directory");
  FilesystemStorage storage(files, {.directory = kRun, .epoch = {4}});
  const auto swept = storage.sweep_other_runs({});
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error(),
            (Error{Code::kRefused, "remove_directory " + other_run() + ": Permission denied"}));
}

TEST(FilesystemStorage, ASweepOfRunsWithAnyCallFailingCanBeRepeated) {
  for (const bool is_dead : {false, true}) {
    for (std::uint64_t k = 1;; ++k) {
      MemoryFiles disk;
      put_other_run(disk);
      FaultyFiles files(disk);
      if (is_dead)
        files.die_at(k);
      else
        files.fail(k, {});
      FilesystemStorage storage(files, {.directory = kRun, .epoch = {4}});
      const auto swept = storage.sweep_other_runs({});
      if (files.calls() < k) break;
      EXPECT_FALSE(swept) << files.log()[k - 1].name;
      disk.cut_power();
      FilesystemStorage again(disk, {.directory = kRun, .epoch = {5}});
      EXPECT_TRUE(again.sweep_other_runs({}));
      EXPECT_EQ(disk.info(other_run()).error().code, Code::kNotFound);
    }
  }
}

TEST(FilesystemStorage, APutWithAnyCallFailingTellsTheTruth) {
  for (const auto deed : {FaultyFiles::Deed::kNotDone, FaultyFiles::Deed::kDone}) {
    for (std::uint64_t k = 1;; ++k) {
      MemoryFiles disk;
      FaultyFiles files(disk);
      files.fail(k, {.code = Code::kUnavailable, .deed = deed});
      FilesystemStorage storage(files, {.directory = kRun, .epoch = {3}});
      const auto put = storage.put_if_absent("taskowned/x", bytes_of("mine"));
      const auto failed = files.failed_call();
      if (!failed) {
        EXPECT_EQ(put, Written::durable());
        break;
      }
      SCOPED_TRACE(failed->name + " " + failed->path);
      const auto there = disk.peek(std::string(kRun) + "/taskowned/x");
      if (there) {
        EXPECT_EQ(text_of(*there), "mine");
      }
      switch (put.fate()) {
        case Fate::kDurable:
          EXPECT_EQ(failed->name, "remove");  // Only the temporary name stayed behind.
          disk.cut_power();
          EXPECT_TRUE(disk.peek(std::string(kRun) + "/taskowned/x"));
          break;
        case Fate::kAbsent:
          EXPECT_FALSE(there);
          break;
        case Fate::kUnknown:
          EXPECT_EQ(failed->name, "link");
          break;
        case Fate::kSyncFailed:
          EXPECT_EQ(failed->name, "sync_directory");
          break;
      }
    }
  }
}

TEST(FilesystemStorage, AfterAFailedAppendAStreamCannotBeCommitted) {
  MemoryFiles disk;
  FaultyFiles files(disk);
  FilesystemStorage storage(files, {.directory = kRun, .epoch = {3}});
  ASSERT_TRUE(disk.make_directories(std::string(kRun) + "/chk-1"));
  files.fail(2, {.code = Code::kExhausted, .deed = FaultyFiles::Deed::kDone});
  {
    const auto stream = *storage.create("chk-1/a");
    EXPECT_EQ(stream->append(bytes_of("torn")).error().code, Code::kExhausted);
    EXPECT_FALSE(stream->append(bytes_of("more")));
    EXPECT_FALSE(stream->commit(0));
  }
  EXPECT_TRUE(disk.tree(kRun).empty());
}

TEST(FilesystemStorage, APutWhereFilesCannotHaveTwoNamesIsAbsentForGood) {
  MemoryFiles disk;
  FaultyFiles files(disk);
  FilesystemStorage storage(files, {.directory = kRun, .epoch = {3}});
  ASSERT_TRUE(disk.make_directories(std::string(kRun) + "/taskowned"));
  files.fail(5, {.code = Code::kInvalid});
  const auto put = storage.put_if_absent("taskowned/x", bytes_of("mine"));
  ASSERT_EQ(files.failed_call()->name, "link");
  EXPECT_EQ(put.fate(), Fate::kAbsent);
  EXPECT_EQ(put.error().code, Code::kInvalid);
}

}  // namespace
}  // namespace weir::storage
