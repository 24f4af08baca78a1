#include <gtest/gtest.h>

#include "tests/support/kept_log.h"
#include "tests/support/memory_files.h"
#include "tests/support/step_env.h"
#include "weir/base/log.h"
#include "weir/connectors/api/source_reader_operator.h"
#include "weir/connectors/api/split_enumerator_operator.h"

namespace weir::connectors {
namespace {

using operators::Progress;

// Does what the test says.
class PlayedReader final : public SourceReader<int> {
 public:
  Status open(SourceContext&) override { return ok(); }
  Status add_split(ByteView split) override {
    splits.emplace_back(split.begin(), split.end());
    return ok();
  }
  Result<ReadState> read(stream::RecordBatch<int>&) override { return next; }
  std::vector<Bytes> snapshot() override { return splits; }
  Schema split_schema() const override { return schema_of<std::uint64_t>(); }
  void halt() override {}
  Instant wake_at() const override { return wake; }
  Share progress() const override { return share; }

  std::vector<Bytes> splits;
  ReadState next = ReadState::kMore;
  Instant wake = Instant::never();
  Share share;
};

class SourceReaderOperatorTest : public testing::Test {
 protected:
  SourceReaderOperatorTest() {
    auto owned = std::make_unique<PlayedReader>();
    reader = owned.get();
    op = make(std::move(owned));
    context.env = &world.env();
    context.post = world.post();
    context.send_hint = [this](Bytes) { ++hints; };
  }
  static std::unique_ptr<SourceReaderOperator<int>> make(
      std::unique_ptr<PlayedReader> reader, const std::string& input = "in",
      const RunInput::Told& told = RunInput::nobody_was_told()) {
    return std::make_unique<SourceReaderOperator<int>>(std::move(reader), input, told);
  }
  Progress produce() {
    operators::Output* outputs[] = {&output};
    return op->produce(outputs);
  }
  static state::OperatorListState lists_of(const operators::SnapshotWork& work) {
    state::OperatorListState lists;
    work([&](Result<state::OperatorListState> captured) { lists = *std::move(captured); });
    return lists;
  }

  test::MemoryFiles disk;
  test::StepEnv world{disk};
  operators::OperatorContext context;
  operators::Output output{std::make_unique<stream::RecordBatch<int>>(), 1000};
  PlayedReader* reader = nullptr;
  std::unique_ptr<SourceReaderOperator<int>> op;
  int hints = 0;
};

TEST_F(SourceReaderOperatorTest, AReaderThatWaitsForATimeIsWokenThenAndOnce) {
  ASSERT_TRUE(op->open(context));
  reader->next = ReadState::kWaits;
  reader->wake = Instant{5000};
  EXPECT_EQ(produce(), Progress::kBlockedOnLetter);
  EXPECT_EQ(op->wake_at(), Instant{5000});
  op->on_time(Instant{5000});
  EXPECT_EQ(op->wake_at(), Instant::never())
      << "or the Subtask would spin until it is called again";
  EXPECT_EQ(produce(), Progress::kBlockedOnLetter);
  reader->next = ReadState::kMore;
  EXPECT_EQ(produce(), Progress::kMore);
  EXPECT_EQ(op->wake_at(), Instant::never());
}

TEST_F(SourceReaderOperatorTest, AHintIsRepeatedWhileNoSplitComes) {
  ASSERT_TRUE(op->open(context));
  reader->next = ReadState::kNeedsSplit;
  EXPECT_EQ(produce(), Progress::kBlockedOnLetter);
  EXPECT_EQ(produce(), Progress::kBlockedOnLetter);
  EXPECT_EQ(hints, 1);
  const auto again = op->wake_at();
  ASSERT_NE(again, Instant::never());
  world.advance(again - world.env().clock.now());
  op->on_time(again);
  EXPECT_EQ(produce(), Progress::kBlockedOnLetter);
  EXPECT_EQ(hints, 2);
  op->on_end_of_input(0);
  EXPECT_EQ(produce(), Progress::kDone);
  EXPECT_EQ(op->wake_at(), Instant::never()) << "what has ended is not woken";
}

TEST_F(SourceReaderOperatorTest, WhatWasReadBeforeARestoreCountsAsProgress) {
  ASSERT_TRUE(op->open(context));
  reader->share = {.done = 30, .total = 100};
  context.lists = state::OperatorLists(lists_of(op->snapshot({1})));
  context.restored = {1};
  auto owned = std::make_unique<PlayedReader>();
  owned->share = {.done = 5, .total = 70};
  const auto second = make(std::move(owned));
  ASSERT_TRUE(second->open(context));
  EXPECT_EQ(second->progress().done, 35u);
  EXPECT_EQ(second->progress().total, 100u);
}

TEST_F(SourceReaderOperatorTest, SplitsOfAnotherShapeAreRefusedAndNamed) {
  state::OperatorLists earlier;
  state::ListState<std::string> splits{"splits"};
  ASSERT_TRUE(earlier.declare(splits));
  splits.add("a file");
  context.lists = state::OperatorLists(earlier.capture());
  const auto opened = op->open(context);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kInvalid);
  EXPECT_NE(opened.error().what.find("list state splits"), std::string::npos);
  EXPECT_TRUE(reader->splits.empty());
}

TEST_F(SourceReaderOperatorTest, AnotherInputThanThatOfTheRunIsToldOnceAndTheRunsIsRemembered) {
  ASSERT_TRUE(op->open(context));
  auto lists = lists_of(op->snapshot({1}));
  test::KeptLog log(log::Level::kWarning);
  for (const auto* const given : {"in", "other", "", "another"}) {
    const auto told = RunInput::nobody_was_told();
    for (const std::uint32_t subtask : {0u, 1u}) {
      context.name = "lines[" + std::to_string(subtask) + "]";
      context.restored = {1};
      context.lists = state::OperatorLists(lists);
      const auto next = make(std::make_unique<PlayedReader>(), given, told);
      ASSERT_TRUE(next->open(context));
      if (subtask == 1) lists = lists_of(next->snapshot({2}));
    }
    const bool is_other = std::string(given).ends_with("other");
    const auto lines = log.take();
    ASSERT_EQ(lines.size(), is_other ? 1u : 0u) << given;
    if (!is_other) continue;
    for (const std::string word : {"source=lines[0]", "reads=in", "--restart"})
      EXPECT_NE(lines[0].find(word), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("ignored=" + std::string(given)), std::string::npos);
  }
}

// At another parallelism: one has what several had, one finds nothing and must not take the new input for the run's.
TEST_F(SourceReaderOperatorTest, OfSeveralRememberedInputsOneIsKeptAndOfNoneNoneIsMade) {
  ASSERT_TRUE(op->open(context));
  const auto lists = lists_of(op->snapshot({1}));
  ASSERT_EQ(lists.elements("input").size(), 1u);
  const std::vector several = {lists, lists};
  context.restored = {1};
  context.lists = state::OperatorLists(state::share_of(several, 0, 1));
  const auto both = make(std::make_unique<PlayedReader>());
  ASSERT_TRUE(both->open(context));
  EXPECT_EQ(lists_of(both->snapshot({2})).elements("input").size(), 1u);
  context.lists = state::OperatorLists(state::OperatorListState());
  const auto none = make(std::make_unique<PlayedReader>(), "other");
  ASSERT_TRUE(none->open(context));
  EXPECT_TRUE(lists_of(none->snapshot({2})).elements("input").empty());
}

// Remembers what it was opened with.
class PlayedEnumerator final : public SplitEnumerator {
 public:
  explicit PlayedEnumerator(std::optional<std::size_t>& restored) : restored_(restored) {}
  Status open(SourceContext&, const std::optional<std::vector<Bytes>>& state) override {
    restored_ = std::nullopt;
    if (state) restored_ = state->size();
    return ok();
  }
  std::optional<Bytes> next_split(SubtaskIndex) override { return std::nullopt; }
  bool is_exhausted() const override { return true; }
  std::vector<Bytes> snapshot() override { return {}; }
  Schema state_schema() const override { return schema_of<std::uint64_t>(); }
  std::uint64_t unassigned() const override { return 17; }

 private:
  std::optional<std::size_t>& restored_;
};

TEST_F(SourceReaderOperatorTest, AnEnumeratorThatIsNewInARestoredJobLooksAtItsInput) {
  std::optional<std::size_t> restored = 99;
  SplitEnumeratorOperator first(std::make_unique<PlayedEnumerator>(restored));
  context.restored = {1};
  ASSERT_TRUE(first.open(context));
  EXPECT_FALSE(restored) << "the checkpoint holds nothing of it";
  EXPECT_EQ(first.progress().total, 17u);
  context.lists = state::OperatorLists(lists_of(first.snapshot({2})));
  SplitEnumeratorOperator second(std::make_unique<PlayedEnumerator>(restored));
  ASSERT_TRUE(second.open(context));
  EXPECT_EQ(restored, 0u) << "it had given everything away";
}

}  // namespace
}  // namespace weir::connectors
