#include "weir/storage/filesystem/checkpoint_path.h"

#include <gtest/gtest.h>

#include "tests/support/memory_files.h"
#include "weir/storage/filesystem/filesystem_storage.h"

namespace weir::storage {
namespace {

using test::MemoryFiles;

constexpr const char* kRun = "/data/averages/0190";

TEST(FindCheckpoint, TakesTheDirectoryOrItsMetadata) {
  MemoryFiles disk;
  FilesystemStorage storage(disk, {.directory = kRun, .epoch = {3}});
  ASSERT_TRUE(storage.publish({17}, {}));
  const CheckpointPath want{kRun, {17}};
  for (const char* tail : {"/chk-17", "/chk-17/", "/chk-17/_metadata"})
    EXPECT_EQ(*find_checkpoint(disk, std::string(kRun) + tail), want) << tail;
}

TEST(FindCheckpoint, SaysWhatItDidNotFind) {
  MemoryFiles disk;
  FilesystemStorage storage(disk, {.directory = kRun, .epoch = {3}});
  ASSERT_TRUE(storage.publish({17}, {}));
  disk.poke(std::string(kRun) + "/chk-17/a", {});
  ASSERT_TRUE(disk.make_directories(std::string(kRun) + "/chk-18"));
  ASSERT_TRUE(disk.make_directories("/elsewhere"));
  disk.poke("/elsewhere/_metadata", {});
  const auto error = [&](const std::string& path) { return find_checkpoint(disk, path).error(); };
  EXPECT_EQ(error("/nowhere").code, Code::kNotFound);
  EXPECT_EQ(error("/nowhere").what.find("Cannot find checkpoint or savepoint file/directory"), 0u);
  EXPECT_EQ(error(std::string(kRun) + "/chk-18").code, Code::kNotFound);
  EXPECT_EQ(error(std::string(kRun) + "/chk-18").what.find("Cannot find meta data file"), 0u);
  EXPECT_EQ(error(std::string(kRun) + "/chk-17/a").code, Code::kInvalid);
  EXPECT_EQ(error("/elsewhere").code, Code::kInvalid);
  EXPECT_EQ(error("/elsewhere/_metadata").code, Code::kInvalid);
}

}  // namespace
}  // namespace weir::storage
