#include "weir/state/heap/internal/directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "weir/base/random.h"
#include "weir/env/posix/posix_pages.h"

namespace weir::state::heap {
namespace {

// A directory whose segments split and merge as those of a table do, without entries.
class DirectoryTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  DirectoryTest() { directory_.begin(fresh(0)); }

  Segment* fresh(std::uint32_t depth) {
    auto& segment = segments_.emplace_back();
    segment.reset(CutNumber{0}, depth);
    return &segment;
  }
  Position anywhere() {
    return {static_cast<std::uint32_t>(random_.below(GetParam())),
            static_cast<std::uint32_t>(random_.next())};
  }
  void split(Position inside) {
    Segment* segment = directory_.find(inside);
    const auto depth = segment->depth();
    ASSERT_TRUE(directory_.make_room(inside, depth));
    const Extent whole = directory_.extent(inside, depth);
    const Extent upper{whole.first + whole.width / 2, whole.width / 2};
    segment->set_depth(depth + 1);
    directory_.split(inside, depth, directory_.is_inside(upper) ? fresh(depth + 1) : nullptr);
  }
  void merge(Position inside) {
    Segment* segment = directory_.find(inside);
    const auto depth = segment->depth();
    if (depth == 0) return;
    const Extent own = directory_.extent(inside, depth);
    const Extent buddy{own.first ^ own.width, own.width};
    if (directory_.is_inside(buddy) &&
        directory_.find(Position::of_word(buddy.first))->depth() != depth)
      return;
    segment->set_depth(depth - 1);
    directory_.merge(inside, depth, segment);
  }
  // By the depth, which the segment knows: all of them, from the first position to the last.
  void expect_ends() {
    for (std::uint64_t word = 0; word != directory_.end();) {
      const auto begin = Position::of_word(word);
      const auto extent = directory_.extent(begin, directory_.find(begin)->depth());
      const auto end = std::min(extent.end(), directory_.end());
      ASSERT_EQ(directory_.end_of_segment(begin), end);
      const auto inside = word + random_.below(end - word);
      ASSERT_EQ(directory_.end_of_segment(Position::of_word(inside)), end);
      word = end;
    }
  }

  Random random_{1};
  env::PosixPages pages_;
  memory::Account account_{"directory", "limit", std::uint64_t{1} << 30};
  std::deque<Segment> segments_;
  Directory directory_{GetParam(), pages_, account_};
};

TEST_P(DirectoryTest, TellsWhereASegmentEndsThroughSplitsAndMerges) {
  expect_ends();
  for (int round = 0; round != 40; ++round) {
    for (int i = 0; i != 100; ++i) {
      // It grows, and shrinks again towards the end.
      if (random_.below(40) >= static_cast<std::uint64_t>(round)) {
        split(anywhere());
      } else {
        merge(anywhere());
      }
    }
    expect_ends();
  }
}

INSTANTIATE_TEST_SUITE_P(OfGroups, DirectoryTest, ::testing::Values(1, 2, 3, 7, 64, 100, 1000),
                         [](const auto& it) { return std::to_string(it.param); });

}  // namespace
}  // namespace weir::state::heap
