#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weir/base/checksum.h"
#include "weir/storage/api/checkpoint_names.h"
#include "weir/storage/api/checkpoint_storage.h"

// What every CheckpointStorage owes. A plugin says
//
//   INSTANTIATE_TEST_SUITE_P(Filesystem, CheckpointStorageContract, testing::Values(make_world));
namespace weir::storage {

// A storage with the place behind it, which a test may damage.
class StorageWorld {
 public:
  virtual ~StorageWorld() = default;
  virtual CheckpointStorage& storage() = 0;
  // Every file of the run, by relative name, in order.
  virtual std::vector<std::string> names() = 0;
  virtual void overwrite(const std::string& name, Bytes bytes) = 0;
  virtual void erase(const std::string& name) = 0;
  // The same of everything that lies where the run does, by name relative to there.
  virtual std::vector<std::string> names_of_job() = 0;
  virtual void put_in_job(const std::string& name, Bytes bytes) = 0;
};

class CheckpointStorageContract
    : public testing::TestWithParam<std::function<std::unique_ptr<StorageWorld>()>> {
 protected:
  using Names = std::vector<std::string>;

  static Bytes bytes(std::string_view text) {
    const auto view = bytes_of(text);
    return {view.begin(), view.end()};
  }
  checkpoint::FileHandle write(const std::string& name, std::string_view text) {
    auto stream = storage().create(name);
    if (!stream) {
      ADD_FAILURE() << stream.error().to_string();
      return {};
    }
    EXPECT_TRUE((*stream)->append(bytes_of(text.substr(0, text.size() / 2))));
    EXPECT_TRUE((*stream)->append(bytes_of(text.substr(text.size() / 2))));
    auto handle = (*stream)->commit(checksum(bytes_of(text)));
    EXPECT_TRUE(handle);
    return handle ? *handle : checkpoint::FileHandle{};
  }
  CheckpointStorage& storage() { return world_->storage(); }
  StorageWorld& world() { return *world_; }

  // The error's code, and that its text names all of these.
  static void expect_error(const Error& error, Code code, const Names& mentions) {
    EXPECT_EQ(error.code, code) << error.to_string();
    for (const auto& mention : mentions)
      EXPECT_NE(error.what.find(mention), std::string::npos) << mention << " in " << error.what;
  }

 private:
  std::unique_ptr<StorageWorld> world_ = GetParam()();
};

TEST_P(CheckpointStorageContract, WhatWasCommittedIsReadBackWithItsLengthAndChecksum) {
  const auto handle = write("chk-1/e1-a1-x-0.state", "seventeen");
  EXPECT_EQ(handle,
            (checkpoint::FileHandle{"chk-1/e1-a1-x-0.state", 9, checksum(bytes_of("seventeen"))}));
  EXPECT_EQ(*read_verified(storage(), handle, 9), bytes("seventeen"));
  EXPECT_EQ(*read_state(storage(), handle, 9), bytes("seventeen"));
}

TEST_P(CheckpointStorageContract, AnEmptyFileIsAFile) {
  const auto handle = write("chk-1/empty", "");
  EXPECT_EQ(handle.length, 0u);
  EXPECT_EQ(*read_verified(storage(), handle, 0), Bytes{});
  EXPECT_EQ(world().names(), (Names{"chk-1/empty"}));
}

TEST_P(CheckpointStorageContract, ReadsRanges) {
  const auto file = *storage().open(write("chk-1/a", "0123456789"));
  Bytes four(4);
  EXPECT_EQ(*file->read_at(3, four), 4u);
  EXPECT_EQ(text_of(four), "3456");
  EXPECT_EQ(*file->read_at(8, four), 2u);
  EXPECT_EQ(text_of(ByteView(four).first(2)), "89");
  EXPECT_EQ(*file->read_at(10, four), 0u);
  EXPECT_EQ(*file->size(), 10u);
}

TEST_P(CheckpointStorageContract, ANameIsWrittenOnce) {
  write("chk-1/a", "first");
  EXPECT_EQ(storage().create("chk-1/a").error().code, Code::kRefused);
  const auto open = *storage().create("chk-1/b");
  EXPECT_EQ(storage().create("chk-1/b").error().code, Code::kRefused);
}

TEST_P(CheckpointStorageContract, AStreamThatIsNotCommittedLeavesNothing) {
  {
    const auto dropped = *storage().create("chk-1/dropped");
    ASSERT_TRUE(dropped->append(bytes_of("half")));
    const auto aborted = *storage().create("chk-1/aborted");
    ASSERT_TRUE(aborted->append(bytes_of("half")));
    aborted->abort();
    EXPECT_TRUE(storage().create("chk-1/aborted"));  // The name is free again.
  }
  EXPECT_EQ(world().names(), Names{});
}

TEST_P(CheckpointStorageContract, NamesThatLeadElsewhereAreRefused) {
  for (const char* name :
       {"", "/etc/passwd", "../other", "chk-1/../../x", "chk-1//x", "a/.", "a/"}) {
    EXPECT_EQ(storage().create(name).error().code, Code::kInvalid) << name;
    EXPECT_EQ(storage().open({name, 1, 1}).error().code, Code::kInvalid) << name;
    const auto put = storage().put_if_absent(name, {});
    EXPECT_EQ(put.fate(), Fate::kAbsent) << name;
    EXPECT_EQ(put.error().code, Code::kInvalid) << name;
    const std::vector<checkpoint::FileHandle> files{{name, 1, 1}};
    EXPECT_EQ(storage().remove(files).error().code, Code::kInvalid) << name;
  }
}

TEST_P(CheckpointStorageContract, AMissingFileIsCorruptAndNamed) {
  const auto handle = write("chk-1/a", "abc");
  world().erase("chk-1/a");
  expect_error(storage().open(handle).error(), Code::kCorrupt, {"chk-1/a", "missing", "3 bytes"});
}

TEST_P(CheckpointStorageContract, AFileOfAnotherLengthIsCorruptAndNamed) {
  const auto handle = write("chk-1/a", "abc");
  for (const char* other : {"ab", "abcd", ""}) {
    world().overwrite("chk-1/a", bytes(other));
    expect_error(storage().open(handle).error(), Code::kCorrupt,
                 {"chk-1/a", "length", "want 3", "got " + std::to_string(std::strlen(other))});
  }
}

TEST_P(CheckpointStorageContract, ADamagedByteIsCorruptAndNamed) {
  const auto handle = write("chk-1/a", "abc");
  world().overwrite("chk-1/a", bytes("abd"));
  EXPECT_TRUE(storage().open(handle));  // Only reading all of it can tell.
  expect_error(read_verified(storage(), handle, 3).error(), Code::kCorrupt,
               {"chk-1/a", "checksum differs", "want 78af5f94892f3950"});
}

TEST_P(CheckpointStorageContract, AFileOverTheLimitIsNotRead) {
  const auto handle = write("chk-1/a", "abc");
  expect_error(read_verified(storage(), handle, 2).error(), Code::kExhausted,
               {"chk-1/a", "3 bytes", "limit of 2"});
}

TEST_P(CheckpointStorageContract, SmallStateNeedsNoFile) {
  const auto small = *write_state(storage(), "chk-1/small", Bytes(kInlineBytesMax - 1));
  EXPECT_EQ(std::get<Bytes>(small).size(), kInlineBytesMax - 1);
  EXPECT_EQ(world().names(), Names{});
  const auto large = *write_state(storage(), "chk-1/large", Bytes(kInlineBytesMax));
  EXPECT_EQ(std::get<checkpoint::FileHandle>(large).length, kInlineBytesMax);
  EXPECT_EQ(*read_state(storage(), small, 1 << 20), Bytes(kInlineBytesMax - 1));
  EXPECT_EQ(*read_state(storage(), large, 1 << 20), Bytes(kInlineBytesMax));
}

TEST_P(CheckpointStorageContract, PublishedMetadataIsReadBack) {
  write("chk-7/a", "abc");
  EXPECT_EQ(storage().publish({7}, bytes_of("metadata")), Written::durable());
  EXPECT_EQ(*storage().read_metadata({7}), bytes("metadata"));
  EXPECT_EQ(world().names(), (Names{"chk-7/_metadata", "chk-7/a"}));
}

TEST_P(CheckpointStorageContract, ACheckpointWithoutDataFilesCanBePublished) {
  EXPECT_EQ(storage().publish({7}, bytes_of("metadata")), Written::durable());
  EXPECT_EQ(world().names(), (Names{"chk-7/_metadata"}));
}

TEST_P(CheckpointStorageContract, MissingMetadataIsCorruptAndNamed) {
  expect_error(storage().read_metadata({7}).error(), Code::kCorrupt,
               {"chk-7/_metadata", "missing"});
}

TEST_P(CheckpointStorageContract, AnIdIsPublishedOnce) {
  ASSERT_TRUE(storage().publish({7}, bytes_of("first")));
  const auto again = storage().publish({7}, bytes_of("second"));
  EXPECT_EQ(again.fate(), Fate::kAbsent);
  EXPECT_EQ(again.error().code, Code::kRefused);
  EXPECT_EQ(*storage().read_metadata({7}), bytes("first"));
}

TEST_P(CheckpointStorageContract, DiscardTakesTheCheckpointAndNothingElse) {
  const std::vector files{write("chk-7/a", "1"), write("chk-7/b", "2"), write("shared/c", "3"),
                          write("chk-70/d", "4")};
  ASSERT_TRUE(storage().publish({7}, bytes_of("metadata")));
  EXPECT_TRUE(storage().discard({7}, files));
  // Shared files are counted elsewhere, and another checkpoint's are its own.
  EXPECT_EQ(world().names(), (Names{"chk-70/d", "shared/c"}));
  EXPECT_TRUE(storage().discard({7}, files));  // Once more changes nothing.
}

TEST_P(CheckpointStorageContract, DiscardSaysThatItLeftFilesItWasNotTold) {
  const std::vector files{write("chk-7/a", "1")};
  write("chk-7/late", "2");
  EXPECT_EQ(storage().discard({7}, files).error().code, Code::kRefused);
  EXPECT_EQ(world().names(), (Names{"chk-7/late"}));
}

TEST_P(CheckpointStorageContract, RemoveTakesOnlyWhatItIsTold) {
  const std::vector late{write("chk-7/late", "1")};
  write("chk-7/a", "2");
  ASSERT_TRUE(storage().publish({7}, bytes_of("metadata")));
  EXPECT_TRUE(storage().remove(late));
  EXPECT_EQ(world().names(), (Names{"chk-7/_metadata", "chk-7/a"}));
  EXPECT_TRUE(storage().remove(late));
}

TEST_P(CheckpointStorageContract, SweepTakesWhatIsOlderAndNotKept) {
  write("chk-1/a", "aborted long ago");
  write("chk-2/a", "kept");
  ASSERT_TRUE(storage().publish({2}, bytes_of("metadata")));
  write("chk-3/a", "crashed before its pointer moved");
  ASSERT_TRUE(storage().publish({3}, bytes_of("metadata")));
  write("chk-9/a", "this process's own");
  write("chk-10/a", "this process's own");
  write("chk-03/a", "no checkpoint's name");
  write("shared/a", "shared");
  EXPECT_EQ(*storage().sweep({{2}}, {9}), (std::vector<CheckpointId>{{1}, {3}}));
  EXPECT_EQ(world().names(),
            (Names{"chk-03/a", "chk-10/a", "chk-2/_metadata", "chk-2/a", "chk-9/a", "shared/a"}));
  EXPECT_TRUE(storage().sweep({{2}}, {9})->empty());
}

TEST_P(CheckpointStorageContract, SweepOfARunWithoutFilesFindsNothing) {
  EXPECT_TRUE(storage().sweep({}, {100})->empty());
}

TEST_P(CheckpointStorageContract, OtherRunsGoButForThoseThatAreKeptAndWhatIsNoRun) {
  const auto kept = JobId{{1}}.to_hex();
  const auto gone = JobId{{2}}.to_hex();
  const auto shared = JobId{{3}}.to_hex();
  write("chk-1/a", "this run's own");
  const auto own = world().names_of_job();
  for (const auto& name :
       {"run", "notes/chk-1/a", "ABCDEF00000000000000000000000000/chk-1/a", "chk-1/a"})
    world().put_in_job(name, bytes("somebody's"));
  for (const auto& run : {kept, gone, shared})
    for (const auto& name : {"/chk-1/_metadata", "/chk-1/a", "/chk-2/b"})
      world().put_in_job(run + name, bytes("of a run"));
  world().put_in_job(shared + "/notes", bytes("somebody's"));
  EXPECT_EQ(*storage().sweep_other_runs({JobId{{1}}}), (std::vector{JobId{{2}}, JobId{{3}}}));
  Names want{"run",
             "notes/chk-1/a",
             "ABCDEF00000000000000000000000000/chk-1/a",
             "chk-1/a",
             kept + "/chk-1/_metadata",
             kept + "/chk-1/a",
             kept + "/chk-2/b",
             shared + "/notes"};
  want.insert(want.end(), own.begin(), own.end());
  std::sort(want.begin(), want.end());
  EXPECT_EQ(world().names_of_job(), want);
  EXPECT_TRUE(storage().sweep_other_runs({JobId{{1}}})->empty());
}

TEST_P(CheckpointStorageContract, AJobWithoutFilesHasNoOtherRuns) {
  EXPECT_TRUE(storage().sweep_other_runs({})->empty());
}

TEST_P(CheckpointStorageContract, OnlyTheFirstPutCounts) {
  EXPECT_EQ(storage().put_if_absent("taskowned/x", bytes_of("first")), Written::durable());
  const auto second = storage().put_if_absent("taskowned/x", bytes_of("second"));
  EXPECT_EQ(second.fate(), Fate::kAbsent);
  EXPECT_EQ(second.error().code, Code::kRefused);
  EXPECT_EQ(world().names(), (Names{"taskowned/x"}));
  EXPECT_EQ(*read_verified(storage(), {"taskowned/x", 5, checksum(bytes_of("first"))}, 5),
            bytes("first"));
}

}  // namespace weir::storage
