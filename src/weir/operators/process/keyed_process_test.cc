#include "weir/operators/process/keyed_process.h"

#include <set>

#include "tests/support/keyed_harness.h"
#include "weir/base/random.h"

namespace weir::operators {
namespace {

struct Event {
  std::string key;
  int what;
};

// Keeps a count and the last text of each key, and forgets either when it is told to.
constexpr int kForgetCount = -1;
constexpr int kForgetLast = -2;
struct Keep {
  using Output = std::string;
  struct State {
    ValueState<std::uint32_t> count{"count"};
    ValueState<std::string> last{"last"};
  };
  void process(const Event& event, State& state, Collector<std::string>& out) {
    out.emit(event.key + ":" + std::to_string(state.count.get_or(0)) + state.last.get_or("-"));
    if (event.what == kForgetCount) {
      state.count.clear();
    } else if (event.what == kForgetLast) {
      state.last.clear();
    } else {
      ++state.count.update();
      state.last.set(std::to_string(event.what));
    }
  }
  void on_end(const std::string& key, State& state, Collector<std::string>& out) {
    out.emit("end " + key + ":" +
             (state.count.has_value() ? std::to_string(*state.count.get()) : "") + "," +
             (state.last.has_value() ? *state.last.get() : ""));
  }
};
using KeepPerKey = KeyedProcess<Keep, Event, std::string Event::*>;
using Harness = OperatorHarness<Event, std::string>;

std::unique_ptr<Operator> keep() { return std::make_unique<KeepPerKey>(&Event::key, Keep{}); }

// The same by the simplest means.
struct NaiveKeep {
  std::map<std::string, std::uint32_t> counts;
  std::map<std::string, std::string> lasts;

  std::vector<std::string> of(const std::vector<Event>& events) {
    std::vector<std::string> out;
    for (const auto& event : events) {
      const auto count = counts.find(event.key);
      const auto last = lasts.find(event.key);
      out.push_back(event.key + ":" + std::to_string(count == counts.end() ? 0 : count->second) +
                    (last == lasts.end() ? "-" : last->second));
      if (event.what == kForgetCount) {
        counts.erase(event.key);
      } else if (event.what == kForgetLast) {
        lasts.erase(event.key);
      } else {
        ++counts[event.key];
        lasts[event.key] = std::to_string(event.what);
      }
    }
    return out;
  }
  std::vector<std::string> at_end() const {
    std::set<std::string> keys;
    for (const auto& [key, count] : counts) keys.insert(key);
    for (const auto& [key, last] : lasts) keys.insert(key);
    std::vector<std::string> out;
    for (const auto& key : keys)
      out.push_back("end " + key + ":" +
                    (counts.contains(key) ? std::to_string(counts.at(key)) : "") + "," +
                    (lasts.contains(key) ? lasts.at(key) : ""));
    std::sort(out.begin(), out.end());
    return out;
  }
};

std::vector<Event> random_events(Random& random, std::size_t count, std::uint64_t keys) {
  std::vector<Event> events(count);
  for (auto& event : events)
    event = {"key" + std::to_string(random.below(keys)), static_cast<int>(random.below(8)) - 2};
  return events;
}

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(KeyedProcess, ValuesSetAndClearedInAnyOrderAreThoseOfANaiveMap) {
  Random random(21);
  for (const std::uint64_t keys : {1u, 2u, 10u, 3000u}) {
    Harness harness(keep(), keyed<Event>(&Event::key, {.output_records = 50}));
    harness.open();
    NaiveKeep naive;
    for (int round = 0; round != 30; ++round) {
      const auto events = random_events(random, 1 + random.below(200), keys);
      EXPECT_EQ(harness.feed(events), Progress::kDone);
      ASSERT_EQ(harness.take(), naive.of(events)) << keys << " keys, round " << round;
    }
    EXPECT_EQ(harness.finish(), Progress::kDone);
    EXPECT_EQ(sorted(harness.take()), naive.at_end());
  }
}

TEST(KeyedProcess, AKeyClearedAndSetAgainInOneBlockHasTheNewValue) {
  Harness harness(keep(), keyed<Event>(&Event::key));
  harness.open();
  harness.feed(
      {{"a", 1}, {"a", kForgetCount}, {"a", 2}, {"b", kForgetLast}, {"a", kForgetLast}, {"b", 3}});
  EXPECT_EQ(harness.take(),
            (std::vector<std::string>{"a:0-", "a:11", "a:01", "b:0-", "a:12", "b:0-"}));
  harness.feed({{"a", 4}, {"b", 5}});
  EXPECT_EQ(harness.take(), (std::vector<std::string>{"a:1-", "b:13"}));
}

TEST(KeyedProcess, OnEndComesOncePerKeyThatHasStateWithAFullOutputInBetween) {
  Harness harness(keep(), keyed<Event>(&Event::key, {.output_records = 3}));
  harness.open();
  std::vector<Event> events;
  for (int i = 0; i != 1000; ++i) events.push_back({"k" + std::to_string(1000 + i), i});
  for (int i = 0; i != 500; ++i) {
    events.push_back({"k" + std::to_string(1000 + 2 * i), kForgetCount});
    events.push_back({"k" + std::to_string(1000 + 2 * i), kForgetLast});
  }
  harness.feed(events);
  harness.take();
  EXPECT_EQ(harness.finish(), Progress::kDone);
  std::vector<std::string> want;
  for (int i = 1; i < 1000; i += 2)
    want.push_back("end k" + std::to_string(1000 + i) + ":1," + std::to_string(i));
  EXPECT_EQ(sorted(harness.take()), want);
  EXPECT_EQ(harness.keyed().statistics().entries, 0u);
  EXPECT_EQ(harness.finish(), Progress::kDone);
  EXPECT_TRUE(harness.take().empty());
}

TEST(KeyedProcess, ASnapshotBetweenTwoKeysAtTheEndHoldsThoseThatAreLeft) {
  Harness harness(keep(), keyed<Event>(&Event::key, {.output_records = 10}));
  harness.open();
  std::vector<Event> events;
  for (int i = 0; i != 100; ++i) events.push_back({"k" + std::to_string(100 + i), i});
  harness.feed(events);
  harness.take();
  Output* const outputs[] = {&harness.output()};
  EXPECT_EQ(harness.op().finish(outputs), Progress::kMore);
  auto lines = harness.take();
  EXPECT_EQ(lines.size(), 10u);
  Harness next(keep(), keyed<Event>(&Event::key, {.restored = harness.snapshot()}));
  next.open();
  next.finish();
  const auto rest = next.take();
  EXPECT_EQ(rest.size(), 90u);
  lines.insert(lines.end(), rest.begin(), rest.end());
  std::vector<std::string> want;
  for (int i = 0; i != 100; ++i)
    want.push_back("end k" + std::to_string(100 + i) + ":1," + std::to_string(i));
  EXPECT_EQ(sorted(lines), want);
}

TEST(KeyedProcess, GoesOnFromASnapshotWithEveryStateOfEveryKey) {
  Random random(22);
  NaiveKeep naive;
  Harness first(keep(), keyed<Event>(&Event::key));
  first.open();
  const auto before = random_events(random, 3000, 500);
  first.feed(before);
  EXPECT_EQ(first.take(), naive.of(before));
  const auto snapshot = first.snapshot();
  first.feed(random_events(random, 3000, 500));
  Harness second(keep(), keyed<Event>(&Event::key, {.restored = snapshot}));
  second.open();
  const auto after = random_events(random, 3000, 600);
  second.feed(after);
  EXPECT_EQ(second.take(), naive.of(after));
}

struct SlowDisk final : state::SnapshotOutput {
  void take(state::StagedBlock block) override { blocks.push_back(std::move(block)); }
  std::vector<state::StagedBlock> blocks;
};

TEST(KeyedProcess, WaitsForTheStagingAreaAndProcessesNothingTwiceWhenItGoesOn) {
  Random random(23);
  NaiveKeep naive;
  Harness harness(keep(), keyed<Event>(&Event::key, {.staging_bytes_max = 8 << 10,
                                                     .staging_chunk_bytes = 1 << 10}));
  harness.open();
  const auto before = random_events(random, 5000, 3000);
  harness.feed(before);
  EXPECT_EQ(harness.take(), naive.of(before));
  SlowDisk disk;
  ASSERT_TRUE(harness.keyed().cut({1}, state::CutKind::kWhole, disk));
  const auto after = random_events(random, 5000, 4000);
  const auto batch = harness.batch_of(after);
  stream::BatchCursor cursor(*batch);
  int waits = 0;
  for (; harness.feed(cursor) != Progress::kDone; ++waits) {
    const auto read = cursor.position();
    EXPECT_EQ(harness.feed(cursor), Progress::kBlockedOnState);
    EXPECT_EQ(cursor.position(), read);
    disk.blocks.clear();
  }
  EXPECT_GT(waits, 3);
  EXPECT_EQ(harness.take(), naive.of(after));
  // The end waits for it as well, and misses nobody.
  for (; harness.finish() != Progress::kDone; ++waits) disk.blocks.clear();
  EXPECT_EQ(sorted(harness.take()), naive.at_end());
  harness.keyed().abort({1});
}

// Keeps everything that it was ever given.
struct Hoard {
  using Output = std::string;
  struct State {
    ValueState<std::string> all{"all"};
  };
  void process(const Event& event, State& state, Collector<std::string>&) {
    state.all.update().append(static_cast<std::size_t>(event.what), 'x');
  }
  void on_end(const std::string&, State& state, Collector<std::string>& out) {
    out.emit(*state.all.get());
  }
};

template <class Do>
void expect_over_limit(Do what) {
  try {
    what();
    FAIL() << "it does not fit";
  } catch (const ErrorException& e) {
    EXPECT_EQ(e.error().code, Code::kExhausted);
    EXPECT_NE(e.error().what.find("state.heap_bytes_max"), std::string::npos) << e.error().what;
  }
}

TEST(KeyedProcess, StateOverItsLimitIsAnErrorWhileProcessingAndAtTheEnd) {
  using Op = KeyedProcess<Hoard, Event, std::string Event::*>;
  Harness harness(std::make_unique<Op>(&Event::key, Hoard{}),
                  keyed<Event>(&Event::key, {.heap_bytes_max = 4 << 20}));
  harness.open();
  // One record may go over the limit: what a user's value takes is seen when it has been taken.
  EXPECT_EQ(harness.feed({{"a", 5 << 20}}), Progress::kDone);
  harness.keyed().statistics();
  expect_over_limit([&] {
    harness.feed({{"b", 1}});
    harness.feed({{"b", 1}});
  });
  expect_over_limit([&] { harness.finish(); });
}

TEST(KeyedProcess, AFunctionThatThrowsInTheMiddleOfABlockLeavesOnlyWhatItHadDone) {
  struct Refused {};
  struct Picky {
    using Output = int;
    struct State {
      ValueState<int> seen{"seen"};
      ValueState<int> twice{"twice"};
    };
    void process(const Event& event, State& state, Collector<int>& out) {
      out.emit(state.seen.get_or(-1));
      state.seen.set(event.what);
      if (event.what == 3) throw Refused{};
      state.twice.set(event.what * 2);
    }
  };
  using Op = KeyedProcess<Picky, Event, std::string Event::*>;
  OperatorHarness<Event, int> harness(std::make_unique<Op>(&Event::key, Picky{}),
                                      keyed<Event>(&Event::key));
  harness.open();
  EXPECT_THROW(harness.feed({{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}}), Refused);
  harness.take();
  // a and b have both states, c the one that was set before the throw; d and e were never seen.
  EXPECT_EQ(harness.keyed().statistics().entries, 5u);
  harness.feed({{"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 10}});
  EXPECT_EQ(harness.take(), (std::vector<int>{1, 2, 3, -1, -1}));
}

TEST(KeyedProcess, OutputsHaveTheTimestampOfTheirRecordAndAtTheEndNone) {
  using Op = KeyedProcess<Keep, Event, std::string Event::*>;
  Harness harness(std::make_unique<Op>(&Event::key, Keep{}),
                  keyed<Event>(&Event::key, {.output_records = 2, .timestamps = true}));
  harness.open();
  harness.feed({{"a", 1}, {"a", 1}, {"a", 1}}, {{5}, {6}, {7}});
  EXPECT_EQ(harness.take_timestamps(), (std::vector<EventTime>{{5}, {6}, {7}}));
  harness.finish();
  EXPECT_EQ(harness.take_timestamps(), (std::vector<EventTime>{EventTime{}}));
}

TEST(KeyedProcess, AFunctionWithoutOnEndEndsAtOnce) {
  struct Silent {
    using Output = int;
    struct State {
      ValueState<int> value{"value"};
    };
    void process(const Event& event, State& state, Collector<int>&) { state.value.set(event.what); }
  };
  using Op = KeyedProcess<Silent, Event, std::string Event::*>;
  OperatorHarness<Event, int> harness(std::make_unique<Op>(&Event::key, Silent{}),
                                      keyed<Event>(&Event::key));
  harness.open();
  harness.feed({{"a", 1}});
  EXPECT_EQ(harness.finish(), Progress::kDone);
  EXPECT_EQ(harness.keyed().statistics().entries, 1u);
}

}  // namespace
}  // namespace weir::operators
