#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/keyed_harness.h"
#include "weir/base/random.h"
#include "weir/operators/process/keyed_process.h"

// Keys of the kinds that need care: texts, which live elsewhere, and aggregates.
namespace weir::operators {
namespace {

struct Word {
  Text word;
  std::uint32_t count;
};
struct Count {
  using Output = Word;
  struct State {
    ValueState<std::uint32_t> count{"count"};
  };
  void process(const Text& word, State& state, Collector<Word>& out) {
    const auto count = ++state.count.update();
    if (count % 3 == 0) out.emit({word, count});
  }
  void on_end(const Text& word, State& state, Collector<Word>& out) {
    out.emit({word, *state.count.get()});
  }
};

TEST(KeyedProcess, TextKeysStayAliveInWhatIsPutOutAlsoAtTheEnd) {
  auto itself = [](const Text& word) { return word; };
  using Op = KeyedProcess<Count, Text, decltype(itself)>;
  OperatorHarness<Text, Word> harness(std::make_unique<Op>(itself, Count{}),
                                      keyed<Text>(itself, {.output_records = 5}));
  harness.open();
  const auto pool = stream::ByteBlockPool::make(16 << 10);
  std::map<std::string, std::uint32_t> want;
  std::vector<std::pair<std::string, std::uint32_t>> want_running;
  for (std::uint32_t round = 0; round != 4; ++round) {
    auto block = pool->take();
    auto* at = reinterpret_cast<char*>(block->bytes().data());
    std::vector<Text> words;
    for (std::uint32_t i = 0; i != 300; ++i) {
      const auto word = std::string(i % 30, 'w') + std::to_string(i % 150);
      std::copy(word.begin(), word.end(), at);
      words.push_back(Text({at, word.size()}));
      at += word.size();
      if (const auto count = ++want[word]; count % 3 == 0) want_running.emplace_back(word, count);
    }
    const auto batch = harness.batch_of(words);
    batch->hold(block);
    block = {};
    stream::BatchCursor cursor(*batch);
    EXPECT_EQ(harness.feed(cursor), Progress::kDone);
  }
  const auto running = harness.take();
  ASSERT_EQ(running.size(), want_running.size());
  for (std::size_t i = 0; i != running.size(); ++i) {
    EXPECT_EQ(running[i].word.str(), want_running[i].first);
    EXPECT_EQ(running[i].count, want_running[i].second);
  }
  EXPECT_EQ(harness.finish(), Progress::kDone);
  std::map<std::string, std::uint32_t> got;
  for (const auto& [word, count] : harness.take())
    EXPECT_TRUE(got.emplace(word.str(), count).second) << word.str();
  EXPECT_EQ(got, want);
}

struct Place {
  std::uint16_t row;
  std::int32_t column;
  friend auto operator<=>(const Place&, const Place&) = default;
};

TEST(KeyedProcess, KeysOfFixedSizeComeBackAtTheEndAsTheyWere) {
  struct Ends {
    using Output = Place;
    struct State {
      ValueState<bool> is_there{"is-there"};
    };
    void process(const Place&, State& state, Collector<Place>&) { state.is_there.set(true); }
    void on_end(const Place& place, State&, Collector<Place>& out) { out.emit(place); }
  };
  auto itself = [](const Place& place) { return place; };
  using Op = KeyedProcess<Ends, Place, decltype(itself)>;
  OperatorHarness<Place, Place> harness(std::make_unique<Op>(itself, Ends{}), keyed<Place>(itself));
  harness.open();
  std::vector<Place> places;
  for (std::uint16_t row = 0; row != 20; ++row)
    for (std::int32_t column = -10; column != 10; ++column) places.push_back({row, column});
  harness.feed(places);
  harness.finish();
  auto got = harness.take();
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, places);
}

}  // namespace
}  // namespace weir::operators
