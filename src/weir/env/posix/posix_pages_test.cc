#include "weir/env/posix/posix_pages.h"

#include <gtest/gtest.h>

#include <cstring>

namespace weir::env {
namespace {

using memory::kHugePageBytes;

TEST(PosixPages, LargePiecesBeginAtAHugePageAndCanBeWrittenWhole) {
  PosixPages pages;
  for (const std::size_t bytes : {kHugePageBytes, kHugePageBytes + 1, 3 * kHugePageBytes}) {
    void* piece = pages.take(bytes);
    ASSERT_NE(piece, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % kHugePageBytes, 0u);
    std::memset(piece, 1, bytes);
    pages.give_back(piece, bytes);
  }
}

TEST(PosixPages, SmallPiecesAreAlignedToACacheLine) {
  PosixPages pages;
  void* piece = pages.take(4096);
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0u);
  std::memset(piece, 1, 4096);
  pages.give_back(piece, 4096);
}

TEST(PosixPages, MoreThanTheMachineHasIsNothing) {
  PosixPages pages;
  EXPECT_EQ(pages.take(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(pages.take(SIZE_MAX), nullptr);
}

}  // namespace
}  // namespace weir::env
