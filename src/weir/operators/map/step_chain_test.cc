#include "weir/operators/map/step_chain.h"

#include <set>
#include <string>

#include "weir/base/random.h"

namespace weir::operators {
namespace {

struct Triple {
  std::uint64_t operator()(const std::uint64_t& n) const { return n * 3 + 1; }
};
struct Shift {
  void operator()(const std::uint64_t& n, std::uint64_t& out) const { out = n ^ n >> 3; }
};
struct NoFives {
  bool operator()(const std::uint64_t& n) const { return n % 5 != 0; }
};

using M = MapStep<Triple, std::uint64_t>;
using V = MapStep<Shift, std::uint64_t>;
using F = FilterStep<NoFives, std::uint64_t>;

// What each step does with one record alone.
std::optional<std::uint64_t> naive(const M&, std::uint64_t n) { return n * 3 + 1; }
std::optional<std::uint64_t> naive(const V&, std::uint64_t n) { return n ^ n >> 3; }
std::optional<std::uint64_t> naive(const F&, std::uint64_t n) {
  return n % 5 != 0 ? std::optional(n) : std::nullopt;
}

template <class... Steps>
void compare_with_naive_loop() {
  Random random(7);
  StepChain<Steps...> chain(std::tuple(Steps{}...));
  for (const std::uint32_t count : {0u, 1u, 2u, 255u, 256u}) {
    std::vector<std::uint64_t> in(count);
    for (auto& n : in) n = random.below(1000);
    std::vector<std::uint64_t> want;
    std::vector<std::uint16_t> want_origin;
    for (std::uint32_t i = 0; i != count; ++i) {
      std::optional<std::uint64_t> n = in[i];
      ((n = n ? naive(Steps{}, *n) : n), ...);
      if (!n) continue;
      want.push_back(*n);
      want_origin.push_back(static_cast<std::uint16_t>(i));
    }
    std::vector<std::uint64_t> out(count + 1, 99);
    std::vector<std::uint16_t> origin(count + 1);
    const auto kept = chain.run(in.data(), count, out.data(), origin.data());
    const std::string what =
        std::to_string(sizeof...(Steps)) + " steps, " + std::to_string(count) + " records";
    EXPECT_EQ(std::vector(out.begin(), out.begin() + kept), want) << what;
    EXPECT_EQ(std::vector(origin.begin(), origin.begin() + kept), want_origin) << what;
    out.assign(count + 1, 99);
    EXPECT_EQ(chain.run(in.data(), count, out.data(), nullptr), want.size()) << what;
    EXPECT_TRUE(std::equal(want.begin(), want.end(), out.begin())) << what;
    std::vector<std::uint64_t> alone;
    for (const auto n : in)
      chain.run_one(n, [&](const std::uint64_t& result) { alone.push_back(result); });
    EXPECT_EQ(alone, want) << what;
  }
}

// Every arrangement of so many steps behind those given.
template <int kMore, class... Steps>
void every_arrangement() {
  if constexpr (sizeof...(Steps) != 0) compare_with_naive_loop<Steps...>();
  if constexpr (kMore != 0) {
    every_arrangement<kMore - 1, Steps..., M>();
    every_arrangement<kMore - 1, Steps..., V>();
    every_arrangement<kMore - 1, Steps..., F>();
  }
}

TEST(StepChain, EveryArrangementOfThreeStepsDoesWhatTheStepsDoOneAfterTheOther) {
  every_arrangement<3>();
}

TEST(StepChain, LongChainsDoWhatTheStepsDoOneAfterTheOther) {
  compare_with_naive_loop<M, F, V, F, M, M, F, V>();
  compare_with_naive_loop<F, F, M, V, M, F, F>();
}

TEST(StepChain, NoFunctionSeesARecordThatAFilterBeforeItDropped) {
  std::vector<int> seen_by_map;
  std::vector<int> seen_by_filter;
  auto is_even = [](const int& n) { return n % 2 == 0; };
  auto record = [&](const int& n) {
    seen_by_map.push_back(n);
    return n / 2;
  };
  auto below_three = [&](const int& n) {
    seen_by_filter.push_back(n);
    return n < 3;
  };
  using Even = FilterStep<decltype(is_even), int>;
  using Record = MapStep<decltype(record), int>;
  using BelowThree = FilterStep<decltype(below_three), int>;
  StepChain<Even, Record, BelowThree> chain(
      {Even{is_even}, Record{record}, BelowThree{below_three}});
  const std::vector<int> in{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<int> out(in.size() + 1);
  ASSERT_EQ(chain.run(in.data(), 10, out.data(), nullptr), 3u);
  EXPECT_EQ(seen_by_map, (std::vector{0, 2, 4, 6, 8}));
  EXPECT_EQ(seen_by_filter, (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(out[2], 2);
}

TEST(StepChain, ChangesTheTypeOfTheRecordOnTheWay) {
  auto text = [](const int& n) { return std::to_string(n); };
  auto is_long = [](const std::string& s) { return s.size() > 1; };
  auto size = [](const std::string& s, std::size_t& out) { out = s.size(); };
  using ToText = MapStep<decltype(text), int>;
  using Long = FilterStep<decltype(is_long), std::string>;
  using Size = MapStep<decltype(size), std::string>;
  StepChain<ToText, Long, Size> chain({ToText{text}, Long{is_long}, Size{size}});
  static_assert(std::is_same_v<decltype(chain)::Input, int>);
  static_assert(std::is_same_v<decltype(chain)::Output, std::size_t>);
  const std::vector<int> in{7, 42, 1234};
  std::vector<std::size_t> out(4);
  ASSERT_EQ(chain.run(in.data(), 3, out.data(), nullptr), 2u);
  EXPECT_EQ(out[0], 2u);
  EXPECT_EQ(out[1], 4u);
}

TEST(StepChain, StringsBetweenAndBehindTheStepsKeepTheirCapacity) {
  struct Line {
    std::string text;
  };
  std::vector<const char*> between;
  auto fill = [](const int& n, Line& out) {
    out.text.assign(100 + static_cast<std::size_t>(n), 'x');
  };
  auto copy = [&](const Line& in, Line& out) {
    between.push_back(in.text.data());
    out.text = in.text;
  };
  using Fill = MapStep<decltype(fill), int>;
  using Copy = MapStep<decltype(copy), Line>;
  StepChain<Fill, Copy> chain({Fill{fill}, Copy{copy}});
  const std::vector<int> in{5, 4, 3};
  std::vector<Line> out(4);
  ASSERT_EQ(chain.run(in.data(), 3, out.data(), nullptr), 3u);
  const char* const place = out[0].text.data();
  ASSERT_EQ(chain.run(in.data(), 3, out.data(), nullptr), 3u);
  EXPECT_EQ(out[0].text.data(), place);
  EXPECT_EQ(out[0].text, std::string(105, 'x'));
  // One record between the steps serves all.
  EXPECT_EQ(std::set(between.begin(), between.end()).size(), 1u);
}

}  // namespace
}  // namespace weir::operators
