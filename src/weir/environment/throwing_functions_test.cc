// Wherever a function of the user throws, on whatever thread: the error names the operator and the
// message, and the restart strategy decides.

#include <atomic>
#include <filesystem>
#include <new>
#include <numeric>
#include <stdexcept>

#include "tests/support/temporary_directory.h"
#include "tests/support/troubled_sink.h"
#include "weir/environment/weir.h"

namespace weir {
namespace {

using namespace std::chrono_literals;
using Numbers = std::vector<std::uint64_t>;
using test::HeldBack;
using test::HeldBackNumbers;
using test::TroubledSink;
using test::TroublePtr;
using Where = test::Trouble::Where;

class ThrowingFunctions : public testing::Test {
 protected:
  std::vector<std::string> arguments(std::vector<std::string> more) const {
    std::vector<std::string> all = {"--checkpoint-dir",
                                    dir_ + "/checkpoints",
                                    "--threads",
                                    "2",
                                    "--log-level",
                                    "error",
                                    "-Dweir.watchdog-aborts=true"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  const test::TemporaryDirectory directory_;
  const std::string dir_ = directory_.path();
};

const std::vector<std::string> kNone = {"--restart-strategy", "none"};
const std::vector<std::string> kAtOnce = {"-Drestart-strategy.fixed-delay.delay=1ms"};

void expect_fails(const JobResult& result, const std::vector<std::string>& words) {
  EXPECT_EQ(result.kind, JobResult::Kind::kFailed);
  for (const auto& word : words)
    EXPECT_NE(result.what.find(word), std::string::npos) << word << "\nin: " << result.what;
}

Numbers one_to(std::uint64_t last) {
  Numbers numbers(last);
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

[[noreturn]] void five_is_right_out() { throw std::runtime_error("five is right out"); }
std::uint64_t not_five(std::uint64_t n) {
  if (n == 5) five_is_right_out();
  return n;
}

auto into_nothing() { return collect(std::make_shared<Collected<std::uint64_t>>()); }
template <class T>
auto any_into_nothing(const DataStream<T>&) {
  return collect(std::make_shared<Collected<T>>());
}

// Throws while it processes its fifth key, or at the end of the input.
struct Process {
  using Output = std::uint64_t;
  struct State {
    ValueState<std::uint64_t> seen{"seen"};
  };
  void process(const std::uint64_t& n, State& state, Collector<std::uint64_t>&) {
    state.seen.update() = at_end ? n : not_five(n);
  }
  void on_end(const std::uint64_t&, State&, Collector<std::uint64_t>&) {
    if (at_end) five_is_right_out();
  }
  bool at_end = false;
};

// ---- While records are processed ----

TEST_F(ThrowingFunctions, EveryFunctionThatThrowsIsNamed) {
  using Stream = DataStream<std::uint64_t>;
  const auto identity = [](const std::uint64_t& n) { return n; };
  struct Case {
    std::string where;
    std::function<void(const Stream&)> build;
    std::string what = "the user's function threw: five is right out";
  };
  const std::vector<Case> cases = {
      {"operator times one[0]",
       [](const Stream& numbers) {
         numbers.map([](const std::uint64_t& n) { return not_five(n); })
             .name("times one")
             .sink_to(into_nothing());
       }},
      {"operator map, filter[0]",
       [&](const Stream& numbers) {
         numbers.map(identity)
             .filter([](const std::uint64_t& n) { return not_five(n) != 0; })
             .sink_to(into_nothing());
       }},
      {"operator flat_map[0]",
       [](const Stream& numbers) {
         numbers
             .flat_map<std::uint64_t>([](const std::uint64_t& n, Collector<std::uint64_t>& out) {
               out.emit(not_five(n));
             })
             .sink_to(into_nothing());
       }},
      {"dealing the records of operator map[0] by key",
       [&](const Stream& numbers) {
         const auto counts = numbers.map(identity)
                                 .key_by([](const std::uint64_t& n) { return not_five(n); })
                                 .count();
         counts.sink_to(any_into_nothing(counts));
       }},
      {"operator reduce[0]",
       [](const Stream& numbers) {
         const auto sums =
             numbers.key_by([](const std::uint64_t&) { return 0; })
                 .reduce([](const std::uint64_t&, const std::uint64_t& n) { return not_five(n); });
         sums.sink_to(any_into_nothing(sums));
       }},
      {"operator process[0]",
       [&](const Stream& numbers) {
         numbers.key_by(identity).process(Process{}).sink_to(into_nothing());
       }},
      {"operator at end[0]",
       [&](const Stream& numbers) {
         numbers.key_by(identity).process(Process{true}).name("at end").sink_to(into_nothing());
       }},
      {"operator text files[0]",
       [&](const Stream& numbers) {
         numbers.map(identity).sink_to(text_files<std::uint64_t>(
             dir_ + "/out", [](const std::uint64_t& n, std::string& line) {
               line += std::to_string(not_five(n));
             }));
       }},
      {"operator fives[0]",
       [](const Stream& numbers) {
         numbers
             .map([](const std::uint64_t& n) {
               if (n == 5) throw 5;
               return n;
             })
             .name("fives")
             .sink_to(into_nothing());
       },
       "the user's function threw something that is no std::exception"},
  };
  for (const auto& one : cases) {
    Environment env(arguments(kNone));
    one.build(env.from_source(sequence(1, 10)));
    expect_fails(env.execute("throws"), {one.where + ": " + one.what});
  }
}

TEST_F(ThrowingFunctions, MemoryThatIsRefusedIsNotBlamedOnTheOperator) {
  Environment env(arguments(kNone));
  env.from_source(sequence(1, 10))
      .map([](const std::uint64_t& n) -> std::uint64_t {
        if (n == 5) throw std::bad_alloc();
        return n;
      })
      .sink_to(into_nothing());
  const auto result = env.execute("hungry");
  expect_fails(result, {"operator map[0]: the system refused memory", "ulimit -v"});
  EXPECT_EQ(result.what.find("the user's function"), std::string::npos) << result.what;
}

TEST_F(ThrowingFunctions, AttemptsThatAreUsedUpEndTheJob) {
  auto more = kAtOnce;
  more.push_back("-Drestart-strategy.fixed-delay.attempts=2");
  Environment env(arguments(more));
  std::atomic<int> calls = 0;
  env.from_source(sequence(1, 1))
      .map([&](const std::uint64_t&) -> std::uint64_t {
        ++calls;
        five_is_right_out();
      })
      .sink_to(into_nothing());
  expect_fails(env.execute("throws"), {"not restarting (restart strategy fixed-delay, attempts 2",
                                       "operator map[0]", "five is right out"});
  EXPECT_EQ(calls, 3);
}

TEST_F(ThrowingFunctions, AnObserverThatThrowsSuspendsTheJobAndIsHeardOfByWhoRunsIt) {
  Environment env(arguments(kNone));
  env.enable_checkpointing(10ms);
  env.from_source(sequence(1, std::uint64_t{1} << 40))
      .filter([](const std::uint64_t& n) { return n == 0; })
      .sink_to(into_nothing());
  env.on_running([](Environment::Control control) {
    control.trigger_checkpoint([](const Result<CheckpointId>&) { five_is_right_out(); });
    throw std::out_of_range("the observer's own");
  });
  EXPECT_THROW(std::ignore = env.execute("observed"), std::out_of_range);
}

// ---- Where nobody of the user's is on the stack: the I/O pool and the JobMaster's thread ----

// What a job does behind its first checkpoint.
struct Behind {
  bool suspends = false;
  int strikes = 0;  // it throws, and then the trouble strikes so often
};

// The numbers through a map into a sink that is in trouble, all three in one Subtask.
class TroubledJobs : public ThrowingFunctions {
 protected:
  JobResult run(const std::vector<std::string>& more, Behind behind = {}) {
    auto given = arguments(more);
    given.push_back("-Dexchange.batch-records=100");
    Environment env(given);
    env.enable_checkpointing(10ms);
    std::atomic<bool> has_checkpoint = false;
    std::function<void(Environment::Control)> trigger = [&](Environment::Control control) {
      control.trigger_checkpoint([&, control](Result<CheckpointId> id) {
        if (!id) return trigger(control);  // Its tasks are still being opened.
        has_checkpoint = true;
        if (behind.suspends) control.suspend();
      });
    };
    env.on_running(trigger);
    std::atomic<bool> has_thrown = behind.strikes == 0;
    env.from_source(std::make_shared<const HeldBackNumbers>(has_checkpoint))
        .map([&](const std::uint64_t& n) {
          if (n > HeldBack::kLast / 2 && !has_thrown.exchange(true)) {
            trouble->left = behind.strikes;
            throw std::runtime_error("a failure of the test");
          }
          return n;
        })
        .sink_to(std::make_shared<const TroubledSink>(trouble, collected));
    return env.execute("troubled");
  }
  // A new job with that trouble.
  void make_trouble(Where where, int strikes = 0) {
    trouble->where = where;
    trouble->left = strikes;
    trouble->thrown = 0;
    collected = std::make_shared<Collected<std::uint64_t>>();
    std::filesystem::remove_all(dir_ + "/checkpoints");
  }
  void expect_all_visible() const { EXPECT_EQ(collected->values(), one_to(HeldBack::kLast)); }

  const TroublePtr trouble = std::make_shared<test::Trouble>();
  std::shared_ptr<Collected<std::uint64_t>> collected;
};

TEST_F(TroubledJobs, AFunctionThatThrowsInRestoreIsNamedAndTriedAgain) {
  for (const bool throws_number : {false, true}) {
    trouble->throws_number = throws_number;
    make_trouble(Where::kOpen);
    ASSERT_EQ(run(kAtOnce, {.strikes = 3}), 0);
    EXPECT_EQ(trouble->thrown, 3);
    expect_all_visible();

    make_trouble(Where::kOpen);
    ASSERT_EQ(run(kNone, {.suspends = true}), 4);
    trouble->left = 1;
    expect_fails(run(kNone), {"opening operator troubled[0]: the user's function threw",
                              throws_number ? "no std::exception" : "no door"});
    ASSERT_EQ(run(kNone), 0);
    expect_all_visible();
  }
}

TEST_F(TroubledJobs, AFunctionThatThrowsWhenItsOperatorIsBuiltIsNamedAndTriedAgain) {
  const std::vector<std::pair<Where, std::string>> places = {
      {Where::kMakeWriter, "building operator troubled[0]: the user's function threw: no door"},
      {Where::kMakeCommitter, "opening operator troubled[0]: the user's function threw: no door"}};
  for (const auto& [where, what] : places) {
    make_trouble(where, 1);
    expect_fails(run(kNone), {what});
    make_trouble(where);
    ASSERT_EQ(run(kAtOnce, {.strikes = 3}), 0);
    EXPECT_EQ(trouble->thrown, 3);
    expect_all_visible();
  }
}

TEST_F(TroubledJobs, ASinkThatThrowsWhileItsOutputIsMadeDurableFailsTheCheckpoint) {
  const std::string what = "snapshot of operator troubled[0]: the sink's writer threw: no door";
  make_trouble(Where::kMakeDurable, 1);
  expect_fails(run(kNone), {"Exceeded checkpoint tolerable failure threshold", what});
  make_trouble(Where::kMakeDurable);
  ASSERT_EQ(run(kAtOnce, {.strikes = 3}), 0);
  EXPECT_EQ(trouble->thrown, 3);
  expect_all_visible();
}

TEST_F(TroubledJobs, ACommitterThatThrowsIsCalledAgain) {
  make_trouble(Where::kCommit, 2);
  ASSERT_EQ(run(kNone), 0);
  EXPECT_EQ(trouble->thrown, 2);
  expect_all_visible();
}

TEST_F(TroubledJobs, ASinkThatThrowsAtTheEndWithoutCheckpointsIsNamed) {
  make_trouble(Where::kMakeDurable, 1);
  Environment env(arguments(kNone));
  env.from_source(sequence(1, 10))
      .sink_to(std::make_shared<const TroubledSink>(trouble, collected));
  expect_fails(env.execute("troubled"), {"operator troubled[0]: the sink's writer threw: no door"});
}

// A function whose copies are in trouble.
struct ThrowsWhenCopied {
  explicit ThrowsWhenCopied(TroublePtr t) : trouble(std::move(t)) {}
  ThrowsWhenCopied(const ThrowsWhenCopied& other) : trouble(other.trouble) {
    trouble->strike(Where::kCopy);
  }
  std::uint64_t operator()(const std::uint64_t& n) const { return n; }
  TroublePtr trouble;
};

TEST_F(TroubledJobs, AFunctionThatCannotBeCopiedFailsTheAttemptAndNotTheProcess) {
  for (const bool is_selector : {false, true}) {
    for (const auto& strategy : {kNone, kAtOnce}) {
      make_trouble(Where::kCopy);
      Environment env(arguments(strategy));
      const auto numbers = env.from_source(sequence(1, 10), "numbers");
      if (is_selector) {
        const auto counts = numbers.key_by(ThrowsWhenCopied(trouble)).count();
        counts.map([](const auto& count) { return count.key; }).sink_to(collect(collected));
      } else {
        numbers.map(ThrowsWhenCopied(trouble)).sink_to(collect(collected));
      }
      trouble->left = strategy == kNone ? 1 : 3;
      const auto result = env.execute("copied");
      if (strategy == kNone) {
        const std::string what =
            is_selector ? "the edge from operator numbers to count" : "operator map[0]";
        expect_fails(result, {"building " + what + ": the user's function threw: no door"});
      } else {
        EXPECT_EQ(result, 0);
        EXPECT_EQ(trouble->left, 0);
        EXPECT_EQ(collected->values(), one_to(10));
      }
    }
  }
}

}  // namespace
}  // namespace weir
