#include "weir/operators/map/fused.h"

#include "weir/base/random.h"
#include "weir/operators/api/operator_harness.h"

namespace weir::operators {
namespace {

auto odd_ones() {
  auto is_odd = [](const std::uint64_t& n) { return n % 2 == 1; };
  auto times_ten = [](const std::uint64_t& n) { return n * 10; };
  using Odd = FilterStep<decltype(is_odd), std::uint64_t>;
  using Ten = MapStep<decltype(times_ten), std::uint64_t>;
  return StepChain<Odd, Ten>({Odd{is_odd}, Ten{times_ten}});
}

template <class Chain>
std::unique_ptr<Operator> fused(Chain chain) {
  return std::make_unique<Fused<Chain>>(std::move(chain));
}

TEST(Fused, StopsAtAFullOutputAndGoesOnBehindWhatItHasRead) {
  OperatorHarness<std::uint64_t, std::uint64_t> harness(fused(odd_ones()), {.output_records = 3});
  harness.open();
  const auto batch = harness.batch_of({1, 2, 3, 4, 5, 6, 7, 8, 9});
  stream::BatchCursor cursor(*batch);
  EXPECT_EQ(harness.process(cursor), Progress::kBlockedOnOutput);
  const auto read = cursor.position();
  EXPECT_EQ(harness.output().room(), 0u);
  EXPECT_EQ(harness.process(cursor), Progress::kBlockedOnOutput);
  EXPECT_EQ(cursor.position(), read);
  EXPECT_EQ(harness.take(), (std::vector<std::uint64_t>{10, 30, 50}));
  EXPECT_EQ(harness.feed(cursor), Progress::kDone);
  EXPECT_EQ(harness.take(), (std::vector<std::uint64_t>{70, 90}));
}

TEST(Fused, WithOutputsOfAnySizeEveryKeptRecordComesOnceInOrderWithItsTimestamp) {
  Random random(3);
  for (const std::uint32_t room : {1u, 2u, 7u, 255u, 256u, 257u, 1024u}) {
    OperatorHarness<std::uint64_t, std::uint64_t> harness(
        fused(odd_ones()), {.output_records = room, .timestamps = true});
    harness.open();
    std::vector<std::uint64_t> want;
    std::vector<EventTime> want_times;
    for (const std::uint64_t count : {1u, 3u, 300u, 1024u}) {
      std::vector<std::uint64_t> records(count);
      std::vector<EventTime> times(count);
      for (std::uint64_t i = 0; i != count; ++i) {
        records[i] = random.below(1'000'000);
        times[i] = {static_cast<std::int64_t>(random.below(1'000'000))};
        if (records[i] % 2 == 0) continue;
        want.push_back(records[i] * 10);
        want_times.push_back(times[i]);
      }
      EXPECT_EQ(harness.feed(records, times), Progress::kDone);
    }
    const auto times = harness.take_timestamps();
    EXPECT_EQ(harness.take(), want) << room;
    EXPECT_EQ(times, want_times) << room;
  }
}

TEST(Fused, TextsOfKeptRecordsStayAliveWithTheBatchThatTheyCameIn) {
  auto not_empty = [](const Text& text) { return !text.empty(); };
  using NotEmpty = FilterStep<decltype(not_empty), Text>;
  OperatorHarness<Text, Text> harness(fused(StepChain<NotEmpty>(std::tuple(NotEmpty{not_empty}))),
                                      {.output_records = 2});
  harness.open();
  {
    const auto pool = stream::ByteBlockPool::make(64);
    auto block = pool->take();
    const std::string_view words = "onetwothree";
    std::memcpy(block->bytes().data(), words.data(), words.size());
    const auto* at = reinterpret_cast<const char*>(block->bytes().data());
    auto batch = harness.batch_of({Text({at, 3}), Text(), Text({at + 3, 3}), Text({at + 6, 5})});
    batch->hold(block);
    block = {};
    stream::BatchCursor cursor(*batch);
    EXPECT_EQ(harness.feed(cursor), Progress::kDone);
    batch = nullptr;
    // A block that nobody held would be given out again, and written over.
    auto other = pool->take();
    std::memset(other->bytes().data(), '!', other->capacity());
  }
  const auto texts = harness.take();
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0], "one");
  EXPECT_EQ(texts[1], "two");
  EXPECT_EQ(texts[2], "three");
}

}  // namespace
}  // namespace weir::operators
