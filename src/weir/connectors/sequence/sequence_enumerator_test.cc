#include "weir/connectors/sequence/sequence_enumerator.h"

#include <gtest/gtest.h>

#include "weir/types/serializer.h"

namespace weir::connectors {
namespace {

SourceContext for_readers(std::uint32_t readers) {
  SourceContext context;
  context.reader_parallelism = readers;
  return context;
}

SequenceSplit taken(SequenceEnumerator& enumerator) {
  const auto bytes = enumerator.next_split(SubtaskIndex{0});
  EXPECT_TRUE(bytes);
  return bytes ? *deserialize<SequenceSplit>(*bytes) : SequenceSplit{};
}

TEST(SequenceEnumerator, DealsTheNumbersInEqualRunsAndTheRemainderToTheFirst) {
  SequenceEnumerator enumerator(10, 18, 0);
  auto context = for_readers(3);
  ASSERT_TRUE(enumerator.open(context, std::nullopt));
  EXPECT_EQ(taken(enumerator), (SequenceSplit{.first = 10, .next = 10, .end = 13}));
  EXPECT_EQ(taken(enumerator), (SequenceSplit{.first = 13, .next = 13, .end = 16}));
  EXPECT_FALSE(enumerator.is_exhausted());
  EXPECT_EQ(taken(enumerator), (SequenceSplit{.first = 16, .next = 16, .end = 18}));
  EXPECT_TRUE(enumerator.is_exhausted());
  EXPECT_FALSE(enumerator.next_split(SubtaskIndex{0}));
}

TEST(SequenceEnumerator, TellsHowManyNumbersNobodyHasAlsoAfterARestore) {
  SequenceEnumerator enumerator(0, 100, 4);
  auto context = for_readers(1);
  ASSERT_TRUE(enumerator.open(context, std::nullopt));
  EXPECT_EQ(enumerator.unassigned(), 100u);
  taken(enumerator);
  EXPECT_EQ(enumerator.unassigned(), 75u);

  SequenceEnumerator restored(0, 100, 4);
  ASSERT_TRUE(restored.open(context, enumerator.snapshot()));
  EXPECT_EQ(restored.unassigned(), 75u);
  EXPECT_EQ(taken(restored), (SequenceSplit{.first = 25, .next = 25, .end = 50}));
  EXPECT_EQ(restored.unassigned(), 50u);
}

TEST(SequenceEnumerator, RefusesStateThatIsNoSplit) {
  SequenceEnumerator enumerator(0, 100, 4);
  auto context = for_readers(1);
  const auto opened = enumerator.open(context, std::vector<Bytes>{Bytes(3)});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kCorrupt);
}

}  // namespace
}  // namespace weir::connectors
