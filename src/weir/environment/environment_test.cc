#include "weir/environment/weir.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>

#include "tests/support/temporary_directory.h"
#include "weir/environment/options.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

// A directory of its own for each test, gone afterwards.
class EnvironmentTest : public testing::Test {
 protected:
  std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"--checkpoint-dir", dir_ + "/checkpoints", "--threads", "2",
                                    "-Dweir.watchdog-aborts=true"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  const test::TemporaryDirectory directory_;
  const std::string dir_ = directory_.path();
};

TEST_F(EnvironmentTest, ASequenceIsMappedFilteredAndCollected) {
  Environment env(arguments());
  const auto collected = std::make_shared<Collected<std::uint64_t>>();
  env.from_source(sequence(1, 10'000))
      .map([](const std::uint64_t& n) { return n * 3; })
      .filter([](const std::uint64_t& n) { return n % 2 == 0; })
      .map([](const std::uint64_t& n) { return n + 1; })
      .sink_to(collect(collected));
  ASSERT_EQ(env.execute("map"), 0);
  std::vector<std::uint64_t> want;
  for (std::uint64_t n = 1; n <= 10'000; ++n)
    if (n % 2 == 0) want.push_back(n * 3 + 1);
  EXPECT_EQ(collected->values(), want);
}

TEST_F(EnvironmentTest, KeyedSumsAreThoseOfANaiveLoop) {
  for (const auto parallelism : {1u, 2u, 3u}) {
    Environment env(arguments());
    env.set_parallelism(parallelism);
    const auto collected = std::make_shared<Collected<Keyed<std::uint64_t, std::uint64_t>>>();
    env.from_source(sequence(1, 50'000))
        .key_by([](const std::uint64_t& n) { return n % 1000; })
        .sum()
        .sink_to(collect(collected));
    ASSERT_EQ(env.execute("sum"), 0);
    const auto values = collected->values();
    EXPECT_EQ(values.size(), 50'000u);
    std::map<std::uint64_t, std::uint64_t> last;
    for (const auto& value : values) last[value.key] = std::max(last[value.key], value.value);
    std::map<std::uint64_t, std::uint64_t> want;
    for (std::uint64_t n = 1; n <= 50'000; ++n) want[n % 1000] += n;
    EXPECT_EQ(last, want);
  }
}

TEST_F(EnvironmentTest, WithCheckpointsEveryRecordIsVisibleOnceAtTheEnd) {
  Environment env(arguments());
  env.set_parallelism(2);
  env.enable_checkpointing(10ms);
  const auto collected = std::make_shared<Collected<Keyed<std::uint64_t, std::uint64_t>>>();
  env.from_source(sequence(1, 2'000'000))
      .key_by([](const std::uint64_t& n) { return n % 100; })
      .count()
      .filter([](const Keyed<std::uint64_t, std::uint64_t>& k) { return k.value % 1000 == 0; })
      .sink_to(collect(collected));
  ASSERT_EQ(env.execute("count"), 0);
  std::map<std::uint64_t, std::uint64_t> seen;
  for (const auto& value : collected->values()) ++seen[value.key * 1'000'000 + value.value];
  EXPECT_EQ(seen.size(), 100u * 20);
  for (const auto& [key, times] : seen) EXPECT_EQ(times, 1u) << key;
}

TEST_F(EnvironmentTest, OneStreamFeedsTwoSinksAndACountWithEveryRecord) {
  for (const std::string chaining : {"true", "false"}) {
    Environment env(arguments({"--restart", "-Dpipeline.operator-chaining.enabled=" + chaining}));
    env.set_parallelism(2);
    env.enable_checkpointing(10ms);
    const auto first = std::make_shared<Collected<std::uint64_t>>();
    const auto second = std::make_shared<Collected<std::uint64_t>>();
    const auto counts = std::make_shared<Collected<Keyed<std::uint64_t, std::uint64_t>>>();
    const auto numbers =
        env.from_source(sequence(1, 300'000)).map([](const std::uint64_t& n) { return n * 2; });
    numbers.sink_to(collect(first));
    numbers.sink_to(collect(second));
    numbers.key_by([](const std::uint64_t& n) { return n % 10; }).count().sink_to(collect(counts));
    ASSERT_EQ(env.execute("fan-out"), 0);
    std::vector<std::uint64_t> want(300'000);
    for (std::uint64_t i = 0; i != want.size(); ++i) want[i] = (i + 1) * 2;
    for (const auto& collected : {first, second}) {
      auto values = collected->values();
      std::sort(values.begin(), values.end());
      EXPECT_EQ(values, want);
    }
    EXPECT_EQ(counts->values().size(), want.size());
  }
}

// More than fits into the batches that wait for a consumer.
TEST_F(EnvironmentTest, AStreamThatNobodyConsumesIsReadToItsEnd) {
  const auto run = [this](const std::string& what) {
    Environment env(arguments({"--parallelism", "2"}));
    std::atomic<std::uint64_t> seen = 0;
    const auto count = [&](const std::uint64_t& number) {
      ++seen;
      return number;
    };
    if (what == "source") {
      (void)env.from_source(sequence(1, 50'000));
      seen = 50'000;
    } else if (what == "map") {
      (void)env.from_source(sequence(1, 50'000)).map(count).fuse();
    } else {
      (void)env.from_source(sequence(1, 50'000))
          .map(count)
          .key_by([](const std::uint64_t& number) { return number % 7; })
          .count();
    }
    EXPECT_EQ(env.execute(what), 0);
    EXPECT_EQ(seen, 50'000u) << what;
  };
  for (const auto* what : {"source", "map", "keyed"}) run(what);
}

TEST_F(EnvironmentTest, AFinishedRunSaysSoWhenStartedAgain) {
  for (int start = 0; start != 2; ++start) {
    Environment env(arguments());
    env.enable_checkpointing(10ms);
    const auto collected = std::make_shared<Collected<std::uint64_t>>();
    env.from_source(sequence(1, 100)).sink_to(collect(collected));
    EXPECT_EQ(env.execute("once"), 0);
    EXPECT_EQ(collected->values().size(), start == 0 ? 100u : 0u);
  }
}

TEST_F(EnvironmentTest, OptionsThatAreWrongEndWithTwo) {
  using Wrong = std::pair<std::vector<std::string>, std::string>;
  for (const auto& [wrong, word] :
       {Wrong{{"--no-such-option"}, "unknown option '--no-such-option'; --help"},
        Wrong{{"--parallelism", "0"},
              "option '--parallelism' (parallelism.default): want 1 to 32768, got 0"},
        Wrong{{"--parallelism", "40000"},
              "option '--parallelism' (parallelism.default): want 1 to 32768, got 40000"},
        Wrong{{"--checkpoint-interval", "1ms"},
              "'--checkpoint-interval' (execution.checkpointing.interval): want at least 10 ms, "
              "got 1 ms"},
        Wrong{{"--parallelism", "many"}, "'--parallelism': want a whole number"},
        Wrong{{"--log-level", "loud"}, "option '--log-level' (log.level): want debug"},
        Wrong{{"--threads", "-1"}, "option '--threads' (taskmanager.threads): want 0"},
        Wrong{{"-Dexecution.checkpointing.num-retained=0"},
              "option execution.checkpointing.num-retained: want 1"},
        Wrong{{"-Drestart-strategy.type=luck"}, "want none or fixed-delay, got 'luck'"},
        Wrong{{"-Dcheckpoint.staging_bytes_max=1kb"}, "want at least 1 mb, got 1 kb"},
        Wrong{{"-Dstate.backend.type=cards"}, "cards"},
        Wrong{{"--checkpoint-dir", ""}, "'--checkpoint-dir': its value is empty"},
        Wrong{{"--limit"}, "'--limit': its value is missing"}}) {
    Environment env(wrong);
    EXPECT_EQ(env.option("limit", 3, "How many."), 3);
    env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
    const auto result = env.execute("wrong");
    EXPECT_EQ(result, 2) << word;
    EXPECT_NE(result.what.find(word), std::string::npos) << result.what;
  }
}

TEST_F(EnvironmentTest, AnOptionThatIsNeededAndNotGivenEndsWithTwo) {
  using Given = std::pair<std::vector<std::string>, std::string>;
  for (const auto& [given, word] :
       {Given{{}, "option '--input' is missing: What is read."},
        Given{{"--input", ""}, "option '--input': its value is empty"}}) {
    Environment env(arguments(given));
    env.from_source(file_lines(env.needed_option("input", "What is read."))).sink_to(print());
    const auto result = env.execute("needy");
    EXPECT_EQ(result, 2);
    EXPECT_NE(result.what.find(word), std::string::npos) << result.what;
  }
  Environment env(arguments({"--input", "here"}));
  EXPECT_EQ(env.needed_option("input", "What is read."), "here");
}

TEST_F(EnvironmentTest, HelpIsThereForThoseWhoGaveNothingThatIsNeeded) {
  testing::internal::CaptureStdout();
  Environment env(arguments({"--help"}));
  env.from_source(file_lines(env.needed_option("input", "What is read."))).sink_to(print());
  EXPECT_EQ(env.execute("needy"), 0);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("--input VALUE"), std::string::npos);
}

TEST_F(EnvironmentTest, WhatCannotBeWrittenToStandardOutputIsToldOnTheOther) {
  const auto run = [this](const std::vector<std::string>& options) {
    Environment env(arguments(options));
    env.enable_checkpointing(10ms);
    env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
    return static_cast<int>(env.execute("told"));
  };
  const auto run_into_full_device = [&](const std::vector<std::string>& options) {
    if (!std::freopen("/dev/full", "w", stdout)) std::exit(9);
    std::exit(run(options));
  };
  EXPECT_EXIT(run_into_full_device({"--help"}), testing::ExitedWithCode(1),
              "write standard output: No space left on device");
  ASSERT_EQ(run({}), 0);
  // The job has finished, whoever hears of it.
  EXPECT_EXIT(run_into_full_device({}), testing::ExitedWithCode(0),
              "write standard output: No space left on device.*Job 'told' finished at");
}

TEST_F(EnvironmentTest, AnOptionWithTheNameOfOneOfWeirsEndsWithTwo) {
  using Declare = std::function<void(Environment&)>;
  using Taken = std::pair<Declare, std::string>;
  for (const auto& [declare, word] :
       {Taken{[](Environment& env) {
                EXPECT_EQ(env.option("parallelism", std::uint64_t{5}, "Mine."), 5u);
              },
              "option '--parallelism': Weir has an option of that name"},
        Taken{[](Environment& env) { EXPECT_TRUE(env.option("checkpoint-dir", true, "Mine.")); },
              "option '--checkpoint-dir': Weir has"},
        Taken{[](Environment& env) { EXPECT_EQ(env.needed_option("restart", "Mine."), ""); },
              "option '--restart': Weir has"},
        Taken{[](Environment& env) {
                EXPECT_EQ(env.option("parallelism.default", "many", "Mine."), "many");
              },
              "option '--parallelism.default': Weir has"}}) {
    Environment env(arguments({"--parallelism", "2"}));
    declare(env);
    env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
    const auto result = env.execute("taken");
    EXPECT_EQ(result, 2) << word;
    EXPECT_NE(result.what.find(word), std::string::npos) << result.what;
  }
}

TEST_F(EnvironmentTest, AnOptionThatIsDeclaredTwiceEndsWithTwoWhateverItsTypes) {
  Environment env(arguments({"--limit", "7"}));
  EXPECT_EQ(env.option("limit", 3, "How many."), 7);
  EXPECT_EQ(env.option("limit", "all", "How many."), "all");
  EXPECT_EQ(env.option("limit", std::uint8_t{4}, "How many."), 4);
  EXPECT_EQ(env.needed_option("limit", "How many."), "");
  env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
  const auto result = env.execute("twice");
  EXPECT_EQ(result, 2);
  EXPECT_NE(result.what.find("option '--limit': it is declared twice"), std::string::npos)
      << result.what;
}

TEST_F(EnvironmentTest, ANumberThatTheProgramsTypeCannotHoldEndsWithTwo) {
  for (const auto* given : {"300", "-1"}) {
    Environment env(arguments({"--small", given}));
    std::ignore = env.option("small", std::uint8_t{1}, "A small number.");
    env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
    const auto result = env.execute("numbers");
    EXPECT_EQ(result, 2);
    EXPECT_NE(result.what.find("option '--small': want 0 to 255, got " + std::string(given)),
              std::string::npos)
        << result.what;
  }
}

TEST_F(EnvironmentTest, AComplaintThatNobodyReadsDoesNotChangeTheExitStatus) {
  const auto run = [] {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::exit(99);
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
    std::signal(SIGPIPE, SIG_DFL);
    Environment env({"--no-such-option"});
    env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
    std::exit(env.execute("unheard"));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(2), "");
}

TEST_F(EnvironmentTest, AJobNameThatCannotBeADirectoryEndsWithTwo) {
  for (const auto& name : {std::string(), std::string(5000, 'x')}) {
    Environment env(arguments());
    env.enable_checkpointing(10ms);
    env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
    const auto result = env.execute(name);
    EXPECT_EQ(result, 2);
    EXPECT_NE(result.what.find("naming the directory of the job"), std::string::npos);
  }
}

TEST_F(EnvironmentTest, AParallelismThatIsSaidTooLateEndsWithTwo) {
  Environment env(arguments());
  env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
  env.set_parallelism(2);
  const auto result = env.execute("late");
  EXPECT_EQ(result, 2);
  EXPECT_NE(result.what.find("set_parallelism(2) comes behind the first source"), std::string::npos)
      << result.what;
}

TEST_F(EnvironmentTest, EveryExecutionHasTheParallelismThatWasSaidBeforeItsFirstSource) {
  Environment env(arguments());
  for (const auto parallelism : {1u, 3u}) {
    env.set_parallelism(parallelism);
    std::map<std::string, std::uint64_t> metrics;
    env.on_finished([&](std::map<std::string, std::uint64_t> last) { metrics = std::move(last); });
    env.from_source(sequence(1, 10)).sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
    ASSERT_EQ(env.execute("numbers").what, "");
    const auto reader = [&](std::uint32_t subtask) {
      return metrics.contains("subtask.sequence -> collect[" + std::to_string(subtask) +
                              "].records_in");
    };
    EXPECT_TRUE(reader(parallelism - 1));
    EXPECT_FALSE(reader(parallelism));
  }
}

TEST(EngineOptions, TheWatchdogAbortsOnlyWhereATestSaysSo) {
  for (const bool aborts : {false, true}) {
    config::Configuration configuration;
    for (auto& declaration : environment::weir_options())
      ASSERT_TRUE(configuration.declare(std::move(declaration)));
    if (aborts) {
      ASSERT_TRUE(configuration.set("weir.watchdog-aborts", "true"));
    }
    EXPECT_EQ(environment::engine_options(configuration, "job")->watchdog.aborts, aborts);
  }
}

TEST_F(EnvironmentTest, AnImpossibleJobEndsWithTwo) {
  Environment env(arguments());
  const auto stream = env.from_source(sequence(1, 10)).uid("same");
  stream.map([](const std::uint64_t& n) { return n; })
      .uid("same")
      .sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
  const auto twice = env.execute("impossible");
  EXPECT_EQ(twice, 2);
  EXPECT_NE(twice.what.find("operator 'map': its uid 'same' is also that of operator 'sequence'"),
            std::string::npos)
      << twice.what;

  env.from_source(sequence(1, 10))
      .map([](const std::uint64_t& n) { return n; })
      .name("m")
      .set_parallelism(9)
      .set_max_parallelism(8)
      .sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
  const auto above = env.execute("impossible");
  EXPECT_EQ(above, 2);
  EXPECT_NE(above.what.find("operator 'm': its parallelism 9 is above its max parallelism 8"),
            std::string::npos)
      << above.what;
}

// By whoever decides what follows: a restart in the log, the end on the last line.
TEST_F(EnvironmentTest, AnErrorIsToldAPersonOnce) {
  for (const int attempts : {1, 3}) {
    Environment env(arguments({"-Drestart-strategy.fixed-delay.delay=1ms",
                               "-Drestart-strategy.fixed-delay.attempts=2", "--restart"}));
    if (attempts == 1) env.set_default("restart-strategy.type", "none");
    env.from_source(sequence(1, 10))
        .map([](const std::uint64_t& n) {
          if (n == 5) throw std::runtime_error("five is right out");
          return n;
        })
        .sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
    testing::internal::CaptureStderr();
    EXPECT_EQ(env.execute("told"), 1);
    const auto told = testing::internal::GetCapturedStderr();
    int times = 0;
    for (auto at = told.find("five is"); at != std::string::npos; at = told.find("five is", at + 1))
      ++times;
    EXPECT_EQ(times, attempts) << told;
    EXPECT_EQ(told.find("WARNING") != std::string::npos, attempts != 1) << told;
  }
}

TEST_F(EnvironmentTest, AFunctionThatThrowsFailsTheJobWithoutARestartStrategy) {
  Environment env(arguments({"--restart-strategy", "none"}));
  env.from_source(sequence(1, 10))
      .map([](const std::uint64_t& n) {
        if (n == 5) throw std::runtime_error("five is right out");
        return n;
      })
      .sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
  const auto result = env.execute("throws");
  EXPECT_EQ(result, 1);
  EXPECT_NE(result.what.find("operator map[0]: the user's function threw: five is right out"),
            std::string::npos)
      << result.what;
}

}  // namespace
}  // namespace weir
