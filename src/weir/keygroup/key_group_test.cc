#include "weir/keygroup/key_group.h"

#include "weir/base/random.h"

namespace weir {
namespace {

std::vector<std::pair<unsigned, unsigned>> ranges(const Scale& scale) {
  std::vector<std::pair<unsigned, unsigned>> out;
  for (std::uint32_t i = 0; i != scale.parallelism; ++i) {
    const auto range = key_groups_of({i}, scale);
    out.emplace_back(range.first.value, range.last.value);
  }
  return out;
}

TEST(KeyGroupsOf, AgreesWithFlinkAt128) {
  using Ranges = std::vector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(ranges({1, 128}), (Ranges{{0, 127}}));
  EXPECT_EQ(ranges({3, 128}), (Ranges{{0, 42}, {43, 85}, {86, 127}}));
  EXPECT_EQ(ranges({5, 128}), (Ranges{{0, 25}, {26, 51}, {52, 76}, {77, 102}, {103, 127}}));
}

TEST(KeyGroupsOf, CoverEveryGroupOnceAndAgreeWithSubtaskOf) {
  for (const std::uint32_t m : {1u, 7u, 128u, 130u, 32768u}) {
    for (const std::uint32_t p : {1u, 2u, 3u, 5u, 7u, 85u, 127u, 128u}) {
      if (p > m) continue;
      std::uint32_t next = 0;
      for (std::uint32_t i = 0; i != p; ++i) {
        const auto range = key_groups_of({i}, {p, m});
        ASSERT_EQ(range.first.value, next);
        for (auto g = range.first.value; g <= range.last.value; ++g)
          ASSERT_EQ(subtask_of({g}, {p, m}).value, i);
        next = range.last.value + 1;
      }
      ASSERT_EQ(next, m);
    }
  }
}

TEST(KeyGroupOf, TakesTheLow32BitsOfTheHash) {
  EXPECT_EQ(key_group_of(0xffffffff'00000081ULL, 128).value, 1u);
  EXPECT_EQ(key_group_of(0x00000001'ffffffffULL, 100).value, 0xffffffffu % 100);
}

TEST(DefaultMaxParallelism, GrowsInPowersOfTwoBetweenItsBounds) {
  EXPECT_EQ(default_max_parallelism(1), 128u);
  EXPECT_EQ(default_max_parallelism(85), 128u);
  EXPECT_EQ(default_max_parallelism(86), 256u);
  EXPECT_EQ(default_max_parallelism(200), 512u);
  EXPECT_EQ(default_max_parallelism(21845), 32768u);
  EXPECT_EQ(default_max_parallelism(32768), 32768u);
}

TEST(KeyGroupRange, KnowsWhatItHolds) {
  const KeyGroupRange range{{26}, {51}};
  EXPECT_EQ(range.size(), 26u);
  EXPECT_TRUE(range.contains({26}));
  EXPECT_TRUE(range.contains({51}));
  EXPECT_FALSE(range.contains({52}));
  EXPECT_TRUE(range.overlaps({{51}, {60}}));
  EXPECT_FALSE(range.overlaps({{52}, {60}}));
}

TEST(KeyGroup, ARunOfHashesGoesWhereEachAloneWould) {
  Random random(7);
  std::vector<std::uint64_t> hashes(1000);
  for (auto& hash : hashes) hash = random.next();
  for (const Scale scale :
       {Scale{1, 128}, Scale{2, 128}, Scale{3, 128}, Scale{5, 100}, Scale{32768, 32768}}) {
    std::vector<std::uint16_t> subtasks(hashes.size());
    subtasks_of(hashes, scale, subtasks.data());
    for (std::size_t i = 0; i != hashes.size(); ++i)
      ASSERT_EQ(subtasks[i],
                subtask_of(key_group_of(hashes[i], scale.max_parallelism), scale).value);
  }
}

}  // namespace
}  // namespace weir
