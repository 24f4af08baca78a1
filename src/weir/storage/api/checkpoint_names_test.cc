#include "weir/storage/api/checkpoint_names.h"

namespace weir::storage {
namespace {

TEST(CheckpointNames, DataFilesCarryEpochAttemptOperatorAndSubtask) {
  const DataFile file{.checkpoint = {17},
                      .epoch = {3},
                      .attempt = {2},
                      .op = operator_id_of("hello"),
                      .subtask = {1}};
  EXPECT_EQ(data_file_name(file), "chk-17/e3-a2-029bbd41b3a7d8cb191dae486a901e5b-1.state");
  EXPECT_TRUE(check_relative_name(data_file_name(file)));
  EXPECT_TRUE(is_own_file({17}, data_file_name(file)));
  EXPECT_FALSE(is_own_file({1}, data_file_name(file)));
  EXPECT_EQ(metadata_name({17}), "chk-17/_metadata");
}

TEST(CheckpointNames, OnlyExactDirectoryNamesAreCheckpoints) {
  EXPECT_EQ(checkpoint_of_directory("chk-17"), CheckpointId{17});
  EXPECT_EQ(checkpoint_of_directory("chk-18446744073709551615"), CheckpointId{~0ULL});
  for (const char* other : {"chk-", "chk-017", "chk-+1", "chk--1", "chk-1x", "chk-17/", "xchk-1",
                            "Chk-1", "chk-18446744073709551616", "", "shared"})
    EXPECT_EQ(checkpoint_of_directory(other), std::nullopt) << other;
}

TEST(CheckpointNames, OnlyAnIdInLowerCaseIsTheDirectoryOfARun) {
  const JobId job{{0xab, 1}};
  EXPECT_EQ(run_of_directory(job.to_hex()), job);
  for (const char* other :
       {"", "run", "ab01", "AB010000000000000000000000000000", "ab01000000000000000000000000000x",
        "ab010000000000000000000000000000/"})
    EXPECT_EQ(run_of_directory(other), std::nullopt) << other;
}

TEST(CheckpointNames, ARelativeNameStaysBelowItsDirectory) {
  for (const char* fine : {"a", "chk-1/_metadata", "a/b/c", "..a", "a..", ".hidden", "a b", "ä"})
    EXPECT_TRUE(check_relative_name(fine)) << fine;
  for (const char* bad :
       {"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/..", "a/../b", "a/./b", "a\nb", "a\x7f"})
    EXPECT_EQ(check_relative_name(bad).error().code, Code::kInvalid) << bad;
  EXPECT_FALSE(check_relative_name(std::string_view("a\0b", 3)));
  EXPECT_TRUE(check_relative_name(std::string(1024, 'a')));
  EXPECT_FALSE(check_relative_name(std::string(1025, 'a')));
}

}  // namespace
}  // namespace weir::storage
