#include "weir/connectors/file/file_split.h"

#include <gtest/gtest.h>

#include "weir/types/serializer.h"

namespace weir::connectors {
namespace {

std::string hex(ByteView bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) {
    text += kDigits[static_cast<unsigned>(byte) >> 4];
    text += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

// The bytes in checkpoints that lie on disks: docs/formats/file_splits.md.
TEST(FileSplit, ItsBytesAreFrozen) {
  const FileSplit split{.path = "a",
                        .begin = 1,
                        .end = 3,
                        .next = 2,
                        .file = {.size = 4, .head_checksum = 5, .device = 6, .inode = 7},
                        .tail_checksum = 8};
  const auto bytes = serialize(split);
  EXPECT_EQ(hex(bytes),
            "000161"
            "010000000000000003000000000000000200000000000000"
            "000400000000000000050000000000000006000000000000000700000000000000"
            "0800000000000000");
  EXPECT_EQ(*file_split_from(bytes), split);
}

TEST(FileSplit, OneWhosePlacesAreOutOfOrderIsCorrupt) {
  const FileSplit good{.path = "in", .begin = 2, .end = 8, .next = 4, .file = {.size = 8}};
  EXPECT_TRUE(file_split_from(serialize(good)));
  auto bad = good;
  bad.next = 1;
  EXPECT_EQ(file_split_from(serialize(bad)).error().code, Code::kCorrupt);
  bad = good;
  bad.next = 8;
  EXPECT_EQ(file_split_from(serialize(bad)).error().code, Code::kCorrupt);
  bad = good;
  bad.file.size = 7;
  EXPECT_EQ(file_split_from(serialize(bad)).error().code, Code::kCorrupt);
}

}  // namespace
}  // namespace weir::connectors
