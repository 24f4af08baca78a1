#include "weir/state/api/operator_lists.h"

#include <gtest/gtest.h>

namespace weir::state {
namespace {

struct Offset {
  std::string topic;
  std::uint64_t at = 0;
  friend bool operator==(const Offset&, const Offset&) = default;
};
struct OlderOffset {
  std::string topic;
  std::uint32_t at = 0;
};

// What an operator would keep.
struct Kept {
  ListState<Offset> offsets{"offsets"};
  ListState<std::string> seen{"seen"};

  Status declare(OperatorLists& lists) {
    WEIR_TRY(lists.declare(offsets));
    return lists.declare(seen);
  }
};

// As it would be written and read again.
OperatorListState through_bytes(const OperatorLists& lists) {
  return *OperatorListState::deserialise(lists.capture().serialise());
}

TEST(OperatorLists, WhatIsDeclaredIsCapturedAndComesBack) {
  OperatorLists lists;
  Kept kept;
  ASSERT_TRUE(kept.declare(lists));
  EXPECT_TRUE(lists.capture().is_empty());
  kept.offsets.update({{"a", 1}, {"b", 2}});
  kept.offsets.add({"c", 3});
  kept.seen.add("x");
  kept.seen.clear();

  OperatorLists later(through_bytes(lists));
  Kept restored;
  ASSERT_TRUE(restored.declare(later));
  EXPECT_TRUE(later.check_all_declared());
  EXPECT_EQ(restored.offsets.get(), (std::vector<Offset>{{"a", 1}, {"b", 2}, {"c", 3}}));
  EXPECT_TRUE(restored.seen.is_empty());
  EXPECT_EQ(later.capture(), lists.capture());
}

TEST(OperatorLists, AtAnotherParallelismEveryElementGoesToOneSubtask) {
  for (const std::uint32_t before : {1u, 2u, 3u, 5u}) {
    std::vector<OperatorListState> old;
    std::vector<Offset> all;
    for (std::uint32_t i = 0; i != before; ++i) {
      OperatorLists lists;
      Kept kept;
      ASSERT_TRUE(kept.declare(lists));
      for (std::uint64_t n = 0; n != i + 2; ++n) {
        kept.offsets.add({std::to_string(i), n});
        all.push_back(kept.offsets.get().back());
      }
      old.push_back(through_bytes(lists));
    }
    for (const std::uint32_t after : {1u, 2u, 4u, 7u}) {
      std::vector<Offset> together;
      for (std::uint32_t i = 0; i != after; ++i) {
        OperatorLists lists(share_of(old, i, after));
        Kept kept;
        ASSERT_TRUE(kept.declare(lists));
        EXPECT_LE(kept.offsets.get().size(), all.size() / after + 1);
        together.insert(together.end(), kept.offsets.get().begin(), kept.offsets.get().end());
      }
      EXPECT_EQ(together, all) << before << " to " << after;
    }
  }
}

TEST(OperatorLists, AnotherSchemaIsIncompatibleAndTheErrorNamesListAndDifference) {
  OperatorLists lists;
  ListState<OlderOffset> older{"offsets"};
  ASSERT_TRUE(lists.declare(older));
  older.add({"a", 1});
  OperatorLists later(through_bytes(lists));
  Kept kept;
  const auto declared = later.declare(kept.offsets);
  ASSERT_FALSE(declared);
  EXPECT_EQ(declared.error().code, Code::kInvalid);
  EXPECT_NE(declared.error().what.find("list state offsets"), std::string::npos);
  EXPECT_NE(declared.error().what.find("Offset.at: was uint32, is uint64"), std::string::npos)
      << declared.error().what;
}

TEST(OperatorLists, WhatOnlyTheCheckpointHasIsNamedAndNotLost) {
  OperatorLists lists;
  Kept kept;
  ASSERT_TRUE(kept.declare(lists));
  kept.offsets.add({"a", 1});
  kept.seen.add("x");
  OperatorLists later(through_bytes(lists));
  ASSERT_TRUE(later.declare(kept.seen));
  const auto complete = later.check_all_declared();
  ASSERT_FALSE(complete);
  EXPECT_EQ(complete.error().code, Code::kInvalid);
  EXPECT_NE(complete.error().what.find("offsets"), std::string::npos);
}

TEST(OperatorLists, TwoListsOfOneNameAreRefused) {
  OperatorLists lists;
  ListState<int> first{"a"};
  ListState<int> second{"a"};
  EXPECT_TRUE(lists.declare(first));
  EXPECT_EQ(lists.declare(second).error().code, Code::kInvalid);
}

TEST(OperatorLists, AnElementThatIsNotOfItsSchemaIsCorrupt) {
  OperatorListState damaged;
  damaged.put("offsets", {schema_bytes(schema_of<Offset>()), {Bytes(3)}});
  OperatorLists lists(damaged);
  Kept kept;
  const auto declared = lists.declare(kept.offsets);
  ASSERT_FALSE(declared);
  EXPECT_EQ(declared.error().code, Code::kCorrupt);
  EXPECT_NE(declared.error().what.find("list state offsets"), std::string::npos);
}

TEST(OperatorLists, ElementsThatAnotherSerialisesHaveTheirSchemaComparedToo) {
  OperatorLists lists;
  SerialisedListState splits("splits", schema_of<Offset>());
  ASSERT_TRUE(lists.declare(splits));
  splits.update({serialize(Offset{"a", 7})});
  const auto saved = through_bytes(lists);

  OperatorLists later(saved);
  SerialisedListState same("splits", schema_of<Offset>());
  ASSERT_TRUE(later.declare(same));
  EXPECT_EQ(same.get(), splits.get());
  OperatorLists other(saved);
  SerialisedListState different("splits", schema_of<OlderOffset>());
  EXPECT_EQ(other.declare(different).error().code, Code::kInvalid);
}

}  // namespace
}  // namespace weir::state
