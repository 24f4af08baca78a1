#include "weir/connectors/sequence/sequence_source.h"

#include <gtest/gtest.h>

#include "weir/connectors/api/source_contract.h"

namespace weir::connectors {
namespace {

// The squares of 5 .. 40, in so many splits.
template <std::uint32_t splits>
std::unique_ptr<SourceWorld> squares() {
  const auto square = [](std::uint64_t n) { return n * n; };
  using Squares = SequenceSource<std::uint64_t, decltype(square)>;
  SourceAttempt::Lines expected;
  for (std::uint64_t n = 5; n <= 40; ++n) expected.insert(std::to_string(n * n));
  return std::make_unique<PlayedSourceWorld<std::uint64_t>>(
      std::make_shared<const Squares>(5, 41, splits, square),
      [](const std::uint64_t& n) { return std::to_string(n); }, std::move(expected));
}

INSTANTIATE_TEST_SUITE_P(SequenceASplitPerReader, SourceContract, testing::Values(squares<0>));
INSTANTIATE_TEST_SUITE_P(SequenceInSevenSplits, SourceContract, testing::Values(squares<7>));

struct Numbered {
  std::uint64_t number = 0;
  std::string text;
};

// A reader over one split.
template <class T, class Make>
SequenceReader<T, Make> reader_of(SequenceSplit split, Make make) {
  SequenceReader<T, Make> reader(std::move(make));
  EXPECT_TRUE(reader.add_split(serialize(split)));
  return reader;
}

TEST(SequenceReader, FillsEachBatchInOrderAndSaysHowFarItIs) {
  auto reader = reader_of<std::uint64_t>({.first = 0, .next = 2, .end = 9},
                                         [](std::uint64_t n) { return n; });
  stream::RecordBatch<std::uint64_t> batch({}, 5);
  EXPECT_EQ(*reader.read(batch), ReadState::kMore);
  EXPECT_EQ(std::vector<std::uint64_t>(batch.data(), batch.data() + batch.size()),
            (std::vector<std::uint64_t>{2, 3, 4, 5, 6}));
  EXPECT_EQ(reader.progress().done, 5u);
  EXPECT_EQ(reader.progress().total, 7u);
  batch.clear();
  EXPECT_EQ(*reader.read(batch), ReadState::kMore);
  EXPECT_EQ(*reader.read(batch), ReadState::kNeedsSplit);
  EXPECT_EQ(std::vector<std::uint64_t>(batch.data(), batch.data() + batch.size()),
            (std::vector<std::uint64_t>{7, 8}));
}

TEST(SequenceReader, MayMakeARecordInPlace) {
  auto reader =
      reader_of<Numbered>({.first = 0, .next = 0, .end = 3}, [](std::uint64_t n, Numbered& record) {
        record.number = n;
        record.text.assign(n, 'x');
      });
  stream::RecordBatch<Numbered> batch;
  EXPECT_EQ(*reader.read(batch), ReadState::kMore);
  ASSERT_EQ(batch.size(), 3u);
  EXPECT_EQ(batch[2].number, 2u);
  EXPECT_EQ(batch[2].text, "xx");
}

}  // namespace
}  // namespace weir::connectors
