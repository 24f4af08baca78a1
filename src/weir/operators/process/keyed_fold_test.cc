#include "weir/operators/process/keyed_fold.h"

#include "tests/support/keyed_harness.h"
#include "weir/base/random.h"

namespace weir::operators {
namespace {

struct Sale {
  std::uint64_t shop;
  std::int64_t amount;
};

struct AddAmount {
  void operator()(std::int64_t& sum, const Sale& sale) const { sum += sale.amount; }
};
using SumPerShop = KeyedFold<Sale, std::uint64_t Sale::*, std::int64_t, AddAmount>;
using Sums = std::vector<Keyed<std::uint64_t, std::int64_t>>;

std::unique_ptr<Operator> sum_per_shop() {
  return std::make_unique<SumPerShop>(&Sale::shop, AddAmount{});
}

// The same by the simplest means.
class NaiveSums {
 public:
  Sums of(const std::vector<Sale>& sales) {
    Sums out;
    for (const auto& sale : sales) out.push_back({sale.shop, sums_[sale.shop] += sale.amount});
    return out;
  }

 private:
  std::map<std::uint64_t, std::int64_t> sums_;
};

std::vector<Sale> random_sales(Random& random, std::size_t count, std::uint64_t shops) {
  std::vector<Sale> sales(count);
  for (auto& sale : sales)
    sale = {random.below(shops), static_cast<std::int64_t>(random.below(100)) - 50};
  return sales;
}

TEST(KeyedFold, EachRecordPutsOutTheNewSumOfItsKeyAlsoWhereAKeyComesTwiceInABlock) {
  Random random(5);
  for (const std::uint64_t shops : {1u, 3u, 100u, 100'000u}) {
    OperatorHarness<Sale, Keyed<std::uint64_t, std::int64_t>> harness(
        sum_per_shop(), keyed<Sale>(&Sale::shop, {.output_records = 100}));
    harness.open();
    NaiveSums naive;
    for (const std::size_t count : {1u, 63u, 64u, 65u, 1000u}) {
      const auto sales = random_sales(random, count, shops);
      EXPECT_EQ(harness.feed(sales), Progress::kDone);
      EXPECT_EQ(harness.take(), naive.of(sales)) << shops << " shops, " << count << " sales";
    }
  }
}

TEST(KeyedFold, AReductionBeginsWithTheFirstRecordOfAKeyAndSeesEveryOther) {
  auto newest = [](std::string& value, bool is_first, const std::string& word) {
    value = is_first ? word : value + word.substr(1);
  };
  auto initial = [](const std::string& word) { return word.substr(0, 1); };
  using Op = KeyedFold<std::string, decltype(initial), std::string, decltype(newest)>;
  OperatorHarness<std::string, Keyed<std::string, std::string>> harness(
      std::make_unique<Op>(initial, newest), keyed<std::string>(initial));
  harness.open();
  harness.feed({"a1", "b1", "a2", "a3", "b2"});
  using Out = std::vector<Keyed<std::string, std::string>>;
  EXPECT_EQ(harness.take(),
            (Out{{"a", "a1"}, {"b", "b1"}, {"a", "a12"}, {"a", "a123"}, {"b", "b12"}}));
  harness.feed({"a4"});
  EXPECT_EQ(harness.take(), (Out{{"a", "a1234"}}));
}

TEST(KeyedFold, StopsAtAFullOutputWithoutTouchingWhatItDoesNotRead) {
  OperatorHarness<Sale, Keyed<std::uint64_t, std::int64_t>> harness(
      sum_per_shop(), keyed<Sale>(&Sale::shop, {.output_records = 2}));
  harness.open();
  const auto batch = harness.batch_of({{1, 10}, {1, 20}, {1, 30}});
  stream::BatchCursor cursor(*batch);
  EXPECT_EQ(harness.process(cursor), Progress::kBlockedOnOutput);
  EXPECT_EQ(cursor.position(), 2u);
  EXPECT_EQ(harness.process(cursor), Progress::kBlockedOnOutput);
  EXPECT_EQ(harness.take(), (Sums{{1, 10}, {1, 30}}));
  EXPECT_EQ(harness.process(cursor), Progress::kDone);
  EXPECT_EQ(harness.take(), (Sums{{1, 60}}));
}

TEST(KeyedFold, OutputsHaveTheTimestampsOfTheirRecords) {
  OperatorHarness<Sale, Keyed<std::uint64_t, std::int64_t>> harness(
      sum_per_shop(), keyed<Sale>(&Sale::shop, {.output_records = 2, .timestamps = true}));
  harness.open();
  harness.feed({{1, 1}, {2, 1}, {1, 1}}, {{7}, {8}, {9}});
  EXPECT_EQ(harness.take_timestamps(), (std::vector<EventTime>{{7}, {8}, {9}}));
}

TEST(KeyedFold, GoesOnFromASnapshotWithTheSumsOfThatMoment) {
  Random random(6);
  NaiveSums naive;
  OperatorHarness<Sale, Keyed<std::uint64_t, std::int64_t>> first(sum_per_shop(),
                                                                  keyed<Sale>(&Sale::shop));
  first.open();
  const auto before = random_sales(random, 5000, 700);
  first.feed(before);
  EXPECT_EQ(first.take(), naive.of(before));
  const auto snapshot = first.snapshot();
  first.feed(random_sales(random, 5000, 700));

  OperatorHarness<Sale, Keyed<std::uint64_t, std::int64_t>> second(
      sum_per_shop(), keyed<Sale>(&Sale::shop, {.restored = snapshot}));
  second.open();
  const auto after = random_sales(random, 5000, 900);
  second.feed(after);
  EXPECT_EQ(second.take(), naive.of(after));
}

// Takes a snapshot's blocks and lets go of them, or not.
struct SlowDisk final : state::SnapshotOutput {
  void take(state::StagedBlock block) override { blocks.push_back(std::move(block)); }
  std::vector<state::StagedBlock> blocks;
};

TEST(KeyedFold, WaitsForTheStagingAreaAndCountsNothingTwiceWhenItGoesOn) {
  Random random(8);
  NaiveSums naive;
  OperatorHarness<Sale, Keyed<std::uint64_t, std::int64_t>> harness(
      sum_per_shop(),
      keyed<Sale>(&Sale::shop, {.staging_bytes_max = 16 << 10, .staging_chunk_bytes = 4 << 10}));
  harness.open();
  const auto before = random_sales(random, 20'000, 10'000);
  harness.feed(before);
  EXPECT_EQ(harness.take(), naive.of(before));

  SlowDisk disk;
  ASSERT_TRUE(harness.keyed().cut({1}, state::CutKind::kWhole, disk));
  const auto after = random_sales(random, 20'000, 10'000);
  const auto batch = harness.batch_of(after);
  stream::BatchCursor cursor(*batch);
  int waits = 0;
  for (; harness.feed(cursor) != Progress::kDone; ++waits) {
    // Nothing moves while the disk does not.
    const auto read = cursor.position();
    EXPECT_EQ(harness.feed(cursor), Progress::kBlockedOnState);
    EXPECT_EQ(cursor.position(), read);
    EXPECT_LE(harness.staging().in_use_bytes(), 16u << 10);
    disk.blocks.clear();
  }
  EXPECT_GT(waits, 3);
  EXPECT_EQ(harness.take(), naive.of(after));
  harness.keyed().abort({1});
}

TEST(KeyedFold, StateOverItsLimitIsAnErrorThatNamesOperatorAndOption) {
  OperatorHarness<Sale, Keyed<std::uint64_t, std::int64_t>> harness(
      sum_per_shop(), keyed<Sale>(&Sale::shop, {.heap_bytes_max = 4 << 20}));
  harness.open();
  std::vector<Sale> sales(1'000'000);
  for (std::uint64_t i = 0; i != sales.size(); ++i) sales[i] = {i, 1};
  try {
    harness.feed(sales);
    FAIL() << "a million entries do not fit into 4 MiB";
  } catch (const ErrorException& e) {
    EXPECT_EQ(e.error().code, Code::kExhausted);
    EXPECT_NE(e.error().what.find("operator harness[0]"), std::string::npos) << e.error().what;
    EXPECT_NE(e.error().what.find("state.heap_bytes_max"), std::string::npos) << e.error().what;
  }
}

TEST(KeyedFold, AFunctionThatThrowsLeavesATableThatCanBeSavedAndGoesOn) {
  struct Refused {};
  bool refuses = true;
  auto add = [&](std::int64_t& sum, const Sale& sale) {
    if (refuses && sale.amount == 3) throw Refused{};
    sum += sale.amount;
  };
  using Op = KeyedFold<Sale, std::uint64_t Sale::*, std::int64_t, decltype(add)>;
  OperatorHarness<Sale, Keyed<std::uint64_t, std::int64_t>> harness(
      std::make_unique<Op>(&Sale::shop, add), keyed<Sale>(&Sale::shop));
  harness.open();
  EXPECT_THROW(harness.feed({{1, 1}, {2, 2}, {3, 3}, {4, 4}}), Refused);
  EXPECT_TRUE(harness.take().empty());
  EXPECT_TRUE(harness.snapshot().keyed);
  refuses = false;
  EXPECT_EQ(harness.feed({{3, 3}}), Progress::kDone);
  EXPECT_EQ(harness.take(), (Sums{{3, 3}}));
}

struct Street {
  std::string city;
  std::uint16_t number;
};
struct House {
  Text owner;
  Street at;
  double size;
};

template <class Selector>
void count_houses_by(Selector selector) {
  using K = KeyOf<Selector, House>;
  auto count = [](std::uint32_t& n, const House&) { ++n; };
  using Op = KeyedFold<House, Selector, std::uint32_t, decltype(count)>;
  OperatorHarness<House, Keyed<K, std::uint32_t>> harness(
      std::make_unique<Op>(selector, count), keyed<House>(selector, {.output_records = 7}));
  harness.open();
  const std::vector<std::string> owners{"", "Ann", "Bob",
                                        "a name that is longer than any short string could be"};
  Random random(9);
  std::map<std::string, std::uint32_t> want;
  for (int round = 0; round != 20; ++round) {
    std::vector<House> houses;
    for (int i = 0; i != 50; ++i) {
      const auto& owner = owners[random.below(owners.size())];
      houses.push_back({Text(owner),
                        {owner + "town", static_cast<std::uint16_t>(random.below(2))},
                        random.below(2) == 0 ? 0.0 : -0.0});
    }
    harness.feed(houses);
    const auto got = harness.take();
    ASSERT_EQ(got.size(), houses.size());
    for (std::size_t i = 0; i != got.size(); ++i) {
      EXPECT_TRUE(same_key<K>(got[i].key, std::invoke(selector, houses[i])));
      EXPECT_EQ(got[i].value, ++want[std::string(text_of(key_bytes<K>(got[i].key)))]);
    }
  }
}

TEST(KeyedFold, KeysMayBeTextsAndStringsAndNumbersAndAggregatesAndPairs) {
  count_houses_by(&House::owner);
  count_houses_by([](const House& house) { return house.at.city; });
  count_houses_by(&House::size);  // 0.0 and -0.0 are one key.
  count_houses_by(&House::at);
  count_houses_by([](const House& house) { return std::pair(house.owner, house.at.number); });
}

}  // namespace
}  // namespace weir::operators
