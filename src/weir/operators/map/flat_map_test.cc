#include "weir/operators/map/flat_map.h"

#include "weir/base/random.h"
#include "weir/operators/api/operator_harness.h"

namespace weir::operators {
namespace {

// The numbers below n.
struct Below {
  void operator()(const std::uint32_t& n, Collector<std::uint32_t>& out) const {
    for (std::uint32_t i = 0; i != n; ++i) out.emit(i);
  }
};
using NumbersBelow = FlatMap<NoSteps, std::uint32_t, std::uint32_t, std::uint32_t, Below>;

std::vector<std::uint32_t> all_below(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint32_t> all;
  for (const auto n : numbers)
    for (std::uint32_t i = 0; i != n; ++i) all.push_back(i);
  return all;
}

std::unique_ptr<Operator> numbers_below() {
  return std::make_unique<NumbersBelow>(NoSteps{}, Below{});
}

TEST(FlatMap, WhatOneRecordPutsOutBeyondTheBatchOverflowsInOrder) {
  Random random(11);
  for (const std::uint32_t room : {1u, 2u, 5u, 64u}) {
    OperatorHarness<std::uint32_t, std::uint32_t> harness(numbers_below(),
                                                          {.output_records = room});
    harness.open();
    std::vector<std::uint32_t> records(200);
    for (auto& n : records) n = static_cast<std::uint32_t>(random.below(20));
    EXPECT_EQ(harness.feed(records), Progress::kDone);
    EXPECT_EQ(harness.take(), all_below(records)) << room;
  }
}

TEST(FlatMap, TheCursorStandsBetweenTwoRecordsWhileOneOverflows) {
  OperatorHarness<std::uint32_t, std::uint32_t> harness(numbers_below(), {.output_records = 4});
  harness.open();
  const auto batch = harness.batch_of({2, 9, 1});
  stream::BatchCursor cursor(*batch);
  EXPECT_EQ(harness.process(cursor), Progress::kBlockedOnOutput);
  EXPECT_EQ(cursor.position(), 2u);
  EXPECT_EQ(harness.process(cursor), Progress::kBlockedOnOutput);
  EXPECT_EQ(cursor.position(), 2u);
  EXPECT_EQ(harness.take(), all_below({2, 9}));
  EXPECT_EQ(harness.process(cursor), Progress::kDone);
  EXPECT_EQ(harness.take(), all_below({1}));
}

TEST(FlatMap, MoreThanTheOverflowLimitIsAnErrorThatNamesTheOption) {
  // Batches of four numbers have 16 bytes: five of them fit into the limit beside the open one.
  OperatorHarness<std::uint32_t, std::uint32_t> harness(
      numbers_below(), {.output_records = 4, .overflow_bytes_max = 80});
  harness.open();
  EXPECT_EQ(harness.feed({24}), Progress::kDone);
  EXPECT_EQ(harness.take(), all_below({24}));
  try {
    harness.feed({25});
    FAIL() << "25 numbers do not fit";
  } catch (const ErrorException& e) {
    EXPECT_EQ(
        e.error(),
        (Error{
            Code::kExhausted,
            "emitting the outputs of one record: they exceed the limit task.overflow-bytes-max of "
            "80 bytes; raise it, or emit less for one record"}));
  }
}

TEST(FlatMap, TheRoomOfWhatOverflowedIsFreeAgain) {
  OperatorHarness<std::uint32_t, std::uint32_t> harness(
      numbers_below(), {.output_records = 4, .overflow_bytes_max = 80});
  harness.open();
  for (int i = 0; i != 100; ++i) EXPECT_EQ(harness.feed({24, 24}), Progress::kDone);
  EXPECT_EQ(harness.take().size(), 4800u);
  EXPECT_EQ(harness.output().overflow_bytes(), 0u);
}

TEST(FlatMap, EveryOutputHasTheTimestampOfItsInputAcrossBatches) {
  OperatorHarness<std::uint32_t, std::uint32_t> harness(numbers_below(),
                                                        {.output_records = 2, .timestamps = true});
  harness.open();
  harness.feed({3, 0, 1, 5}, {{100}, {200}, {300}, {400}});
  EXPECT_EQ(
      harness.take_timestamps(),
      (std::vector<EventTime>{{100}, {100}, {100}, {300}, {400}, {400}, {400}, {400}, {400}}));
}

TEST(FlatMap, StepsBeforeItAreFusedAndItSeesOnlyWhatTheyKeep) {
  auto is_small = [](const std::uint32_t& n) { return n < 4; };
  using Small = FilterStep<decltype(is_small), std::uint32_t>;
  using Chain = StepChain<Small>;
  using Op = FlatMap<Chain, std::uint32_t, std::uint32_t, std::uint32_t, Below>;
  OperatorHarness<std::uint32_t, std::uint32_t> harness(
      std::make_unique<Op>(Chain(Chain::StepTuple(Small{is_small})), Below{}));
  harness.open();
  harness.feed({9, 3, 4, 2});
  EXPECT_EQ(harness.take(), all_below({3, 2}));
}

// Splits a line, and puts out each word once as it stands in the line and once written anew.
struct Words {
  void operator()(const Text& line, Collector<Text>& out) const {
    auto rest = line.view();
    while (!rest.empty()) {
      const auto end = std::min(rest.find(' '), rest.size());
      out.emit(Text(rest.substr(0, end)));
      out.emit(out.intern(std::string(rest.substr(0, end)) + "!"));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
};

TEST(FlatMap, TextsStayAliveWhetherTheyPointIntoTheInputOrWereWritten) {
  using Op = FlatMap<NoSteps, Text, Text, Text, Words>;
  OperatorHarness<Text, Text> harness(std::make_unique<Op>(NoSteps{}, Words{}),
                                      {.output_records = 3});
  harness.open();
  std::vector<std::string> want;
  const auto pool = stream::ByteBlockPool::make(256);
  for (int round = 0; round != 50; ++round) {
    auto block = pool->take();
    const std::string line =
        "a" + std::to_string(round) + " bb" + std::to_string(round) + " ccc dddd";
    std::memcpy(block->bytes().data(), line.data(), line.size());
    auto batch = harness.batch_of(
        {Text({reinterpret_cast<const char*>(block->bytes().data()), line.size()})});
    batch->hold(block);
    block = {};
    stream::BatchCursor cursor(*batch);
    EXPECT_EQ(harness.feed(cursor), Progress::kDone);
    for (const auto& word : {"a" + std::to_string(round), "bb" + std::to_string(round),
                             std::string("ccc"), std::string("dddd")}) {
      want.push_back(word);
      want.push_back(word + "!");
    }
  }
  std::vector<std::string> got;
  for (const auto& text : harness.take()) got.push_back(text.str());
  EXPECT_EQ(got, want);
}

}  // namespace
}  // namespace weir::operators
