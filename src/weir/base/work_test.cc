#include "weir/base/work.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace weir {
namespace {

// Tells how many of it there are.
struct Owned {
  explicit Owned(int& n) : count(&n) { ++*count; }
  Owned(Owned&& other) noexcept : count(std::exchange(other.count, nullptr)) {}
  ~Owned() {
    if (count) --*count;
  }
  int* count;
};

// A closure of that size at least, which owns something.
template <std::size_t bytes>
Work work_of(int& alive, int& runs) {
  return [owned = Owned(alive), &runs, filling = std::array<char, bytes>()] {
    runs += owned.count ? 1 + filling[0] : 100;
  };
}

template <std::size_t bytes>
void expect_moves() {
  int alive = 0;
  int runs = 0;
  {
    auto first = work_of<bytes>(alive, runs);
    EXPECT_EQ(alive, 1);
    Work second = std::move(first);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): it says that it is empty
    EXPECT_TRUE(second);
    second();
    EXPECT_EQ(runs, 1);
    Work third = work_of<bytes>(alive, runs);
    EXPECT_EQ(alive, 2);
    third = std::move(second);
    EXPECT_EQ(alive, 1) << "what it had before is gone";
    third();
    EXPECT_EQ(runs, 2);
    third = nullptr;
    EXPECT_EQ(alive, 0);
    std::vector<Work> many;
    for (int i = 0; i != 20; ++i) many.push_back(work_of<bytes>(alive, runs));
    for (auto& one : many) one();
    EXPECT_EQ(alive, 20);
  }
  EXPECT_EQ(runs, 22);
  EXPECT_EQ(alive, 0);
}

TEST(Work, IsMovedWithWhatItOwnsHoweverLarge) {
  expect_moves<1>();
  expect_moves<200>();
}

TEST(Work, MayOwnWhatCannotBeCopied) {
  int got = 0;
  Work work = [value = std::make_unique<int>(7), &got] { got = *value; };
  work();
  EXPECT_EQ(got, 7);
}

}  // namespace
}  // namespace weir
