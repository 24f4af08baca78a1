#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/support/temporary_directory.h"
#include "weir/environment/weir.h"

namespace weir {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Lines = std::multiset<std::string>;
using Numbers = DataStream<std::uint64_t>;

// A job "k" that reads numbers from a file, is suspended behind some checkpoints, and is started again: as it was, or
// otherwise.
class RestoreTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kNumbers = 20'000;
  static constexpr std::uint64_t kKeys = 100;

  void SetUp() override {
    std::ofstream file(dir_ + "/in");
    for (std::uint64_t n = 0; n != kNumbers; ++n) file << n << "\n";
  }

  enum class Stop : unsigned char { kSuspended, kSuspendedWithOutput, kAtTheEnd };
  struct How {
    Stop stop = Stop::kAtTheEnd;
    std::uint32_t parallelism = 2;
    std::vector<std::string> options = {};
    std::string input = "/in";
  };
  // `rest` is what follows the numbers.
  JobResult run(const How& how, const std::function<void(const Numbers&)>& rest) {
    std::vector<std::string> arguments = {"--checkpoint-dir",
                                          dir_ + "/checkpoints",
                                          "--threads",
                                          "2",
                                          "--log-level",
                                          "error",
                                          "-Dweir.watchdog-aborts=true"};
    arguments.insert(arguments.end(), how.options.begin(), how.options.end());
    Environment env(arguments);
    env.set_parallelism(how.parallelism);
    const bool is_suspended = how.stop != Stop::kAtTheEnd;
    env.enable_checkpointing(how.stop == Stop::kSuspendedWithOutput ? 1h : 10ms);
    if (how.stop == Stop::kSuspendedWithOutput)
      env.on_running(
          [this](Environment::Control control) { suspend_with_output(std::move(control)); });
    if (how.stop == Stop::kSuspended)
      env.on_running([](Environment::Control control) { suspend_after(std::move(control), 3); });
    rest(env.from_source(file_lines(dir_ + how.input,
                                    {.split_bytes = 10'000,
                                     .chunk_bytes = 512,
                                     .max_bytes_per_second = is_suspended ? 100'000u : 0u}))
             .uid("lines")
             .map([](const Text& line) { return std::uint64_t{std::stoull(line.str())}; })
             .name("numbers"));
    auto result = env.execute("k");
    if (trigger_.joinable()) trigger_.join();
    return result;
  }
  // One checkpoint, behind the first lines.
  void suspend_with_output(Environment::Control control) {
    trigger_ = std::jthread([control = std::move(control)] {
      while (lines_read(control) == 0) std::this_thread::yield();
      suspend_after(control, 1);
    });
  }
  static std::uint64_t lines_read(const Environment::Control& control) {
    std::uint64_t lines = 0;
    for (const auto& [name, value] : control.metrics())
      if (name.ends_with(".records_read")) lines += value;
    return lines;
  }
  static void suspend_after(Environment::Control control, int checkpoints) {
    if (checkpoints == 0) return control.suspend();
    const auto trigger = control.trigger_checkpoint;
    trigger([control = std::move(control), checkpoints](Result<CheckpointId> id) mutable {
      suspend_after(std::move(control), checkpoints - (id ? 1 : 0));
    });
  }

  // Every key's running counts, as lines.
  void counts(const Numbers& numbers, const std::string& out = "/out") const {
    numbers.key_by([](const std::uint64_t& n) { return n % kKeys; })
        .count()
        .uid("count")
        .map([](const Keyed<std::uint64_t, std::uint64_t>& counted) {
          return std::to_string(counted.key) + " " + std::to_string(counted.value);
        })
        .sink_to(text_files(dir_ + out))
        .uid("out");
  }
  std::function<void(const Numbers&)> counting() const {
    return [this](const Numbers& numbers) { counts(numbers); };
  }
  static Lines all_counts() {
    Lines lines;
    for (std::uint64_t key = 0; key != kKeys; ++key)
      for (std::uint64_t count = 1; count <= kNumbers / kKeys; ++count)
        lines.insert(std::to_string(key) + " " + std::to_string(count));
    return lines;
  }
  Lines visible() const {
    Lines lines;
    for (const auto& entry : fs::directory_iterator(dir_ + "/out")) {
      if (entry.path().filename().string()[0] == '.') continue;
      std::ifstream text(entry.path());
      for (std::string line; std::getline(text, line);) lines.insert(line);
    }
    return lines;
  }
  void suspend_halfway() {
    ASSERT_EQ(run({.stop = Stop::kSuspended}, counting()).kind, JobResult::Kind::kSuspended);
    ASSERT_LT(visible().size(), kNumbers);
  }
  // The job as it was goes on, whatever was tried in between.
  void expect_goes_on() {
    const auto result = run({}, counting());
    EXPECT_EQ(result.kind, JobResult::Kind::kFinished) << result.what;
    EXPECT_EQ(visible(), all_counts());
  }
  // For good: the restart strategy of these jobs tries again without end.
  static void expect_fails(const JobResult& result, const std::vector<std::string>& words) {
    EXPECT_EQ(result.kind, JobResult::Kind::kFailed);
    for (const auto& word : words)
      EXPECT_NE(result.what.find(word), std::string::npos) << word << " in " << result.what;
  }

  const test::TemporaryDirectory directory_;
  const std::string dir_ = directory_.path();
  std::jthread trigger_;
};

TEST_F(RestoreTest, AtAnotherParallelismEveryCountIsThereOnce) {
  std::size_t seen = 0;
  for (const auto parallelism : {2u, 3u}) {
    const auto result = run({.stop = Stop::kSuspended, .parallelism = parallelism}, counting());
    ASSERT_EQ(result.kind, JobResult::Kind::kSuspended) << result.what;
    const auto lines = visible();
    EXPECT_GT(lines.size(), seen) << "it did not go on with parallelism " << parallelism;
    seen = lines.size();
  }
  EXPECT_LT(seen, kNumbers);
  const auto result = run({.parallelism = 1}, counting());
  ASSERT_EQ(result.kind, JobResult::Kind::kFinished) << result.what;
  EXPECT_EQ(visible(), all_counts());
}

TEST_F(RestoreTest, AnotherTypeOfKeyEndsTheJobForGood) {
  suspend_halfway();
  const auto result = run({}, [this](const Numbers& numbers) {
    numbers.key_by([](const std::uint64_t& n) { return std::to_string(n % kKeys); })
        .count()
        .uid("count")
        .sink_to(text_files(dir_ + "/out"))
        .uid("out");
  });
  expect_fails(result,
               {"operator count[", "key: the job's type cannot read", "was uint64, is string"});
  expect_goes_on();
}

TEST_F(RestoreTest, AnotherTypeOfValueEndsTheJobForGood) {
  suspend_halfway();
  const auto result = run({}, [this](const Numbers& numbers) {
    numbers.key_by([](const std::uint64_t& n) { return n % kKeys; })
        .sum([](const std::uint64_t& n) { return static_cast<double>(n); })
        .uid("count")
        .sink_to(text_files(dir_ + "/out"))
        .uid("out");
  });
  expect_fails(result, {"operator sum[", "value: was uint64, is float64"});
  expect_goes_on();
}

TEST_F(RestoreTest, StateOfAnOperatorThatIsGoneIsRefusedUnlessItMayBeDropped) {
  suspend_halfway();
  const auto without = [this](const Numbers& numbers) {
    numbers.sink_to(text_files(dir_ + "/out")).uid("out");
  };
  expect_fails(run({}, without),
               {"uid count", "which the job does not have", "--allow-unclaimed-state"});
  const auto before = visible().size();
  const auto result = run({.options = {"--allow-unclaimed-state"}}, without);
  EXPECT_EQ(result.kind, JobResult::Kind::kFinished) << result.what;
  // What the source had read was counted before; what it had not is written now.
  EXPECT_GT(visible().size(), before);
  EXPECT_EQ(visible().size(), kNumbers);
}

enum class Name : bool { kBefore, kAfter };
// Counts as count() does, in a state of that name.
template <Name kName>
struct CountNamed {
  using Output = std::string;
  struct State {
    ValueState<std::uint64_t> count{kName == Name::kBefore ? "before" : "after"};
  };
  void process(const std::uint64_t& n, State& state, Collector<std::string>& out) {
    out.emit(std::to_string(n % 100) + " " + std::to_string(++state.count.update()));
  }
};

TEST_F(RestoreTest, AStateThatWasRenamedEndsTheJobWithAWayOut) {
  const auto with = [this](auto function, const std::string& uid) {
    return [this, function, uid](const Numbers& numbers) {
      numbers.key_by([](const std::uint64_t& n) { return n % kKeys; })
          .process(function)
          .uid(uid)
          .sink_to(text_files(dir_ + "/out"))
          .uid("out");
    };
  };
  const CountNamed<Name::kBefore> before;
  const CountNamed<Name::kAfter> after;
  ASSERT_EQ(run({.stop = Stop::kSuspended}, with(before, "count")).kind,
            JobResult::Kind::kSuspended);
  expect_fails(run({}, with(after, "count")),
               {"declares no state before", "Declare it as it was", "another uid",
                "--allow-unclaimed-state", "--restart"});
  const auto dropped = run({.options = {"--allow-unclaimed-state"}}, with(after, "another"));
  EXPECT_EQ(dropped.kind, JobResult::Kind::kFinished) << dropped.what;
}

TEST_F(RestoreTest, ARunThatGoesOnSaysThatItDoesNotReadAnotherInput) {
  suspend_halfway();
  std::ofstream(dir_ + "/other") << "1\n2\n";
  const auto said_with = [this](const std::string& input) {
    testing::internal::CaptureStderr();
    const auto result = run({.stop = input == "/in" ? Stop::kAtTheEnd : Stop::kSuspended,
                             .options = {"--log-level", "warning"},
                             .input = input},
                            counting());
    const auto said = testing::internal::GetCapturedStderr();
    EXPECT_NE(result.kind, JobResult::Kind::kFailed) << result.what;
    return said;
  };
  const auto said = said_with("/other");
  for (const std::string& word : {std::string("AnotherInputIgnored"), "reads=" + dir_ + "/in",
                                  "ignored=" + dir_ + "/other", std::string("--restart")})
    EXPECT_NE(said.find(word), std::string::npos) << word << " in " << said;
  EXPECT_EQ(said.find("AnotherInput"), said.rfind("AnotherInput")) << said;
  EXPECT_EQ(said_with("/in").find("AnotherInput"), std::string::npos);
  EXPECT_EQ(visible(), all_counts());
}

// By place only: whoever reorders a program must know.
TEST_F(RestoreTest, ARunThatGoesOnNamesTheOperatorsWithoutAUid) {
  const auto collected = std::make_shared<Collected<Keyed<std::uint64_t, std::uint64_t>>>();
  const auto said_with = [&](Stop stop, const std::string& uid) {
    testing::internal::CaptureStderr();
    const auto result =
        run({.stop = stop, .options = {"--log-level", "warning"}}, [&](const Numbers& numbers) {
          auto counted = numbers.key_by([](const std::uint64_t& n) { return n % kKeys; }).count();
          if (!uid.empty()) counted.uid(uid);
          counted.sink_to(collect(collected)).uid("out");
        });
    const auto said = testing::internal::GetCapturedStderr();
    EXPECT_NE(result.kind, JobResult::Kind::kFailed) << result.what;
    return said;
  };
  EXPECT_EQ(said_with(Stop::kSuspended, "").find("StateFoundByPlace"), std::string::npos);
  const auto said = said_with(Stop::kAtTheEnd, "");
  for (const std::string word : {"StateFoundByPlace operators=count ", "uid()", "--restart"})
    EXPECT_NE(said.find(word), std::string::npos) << word << " in " << said;
  fs::remove_all(dir_ + "/checkpoints");
  said_with(Stop::kSuspended, "count");
  EXPECT_EQ(said_with(Stop::kAtTheEnd, "count").find("StateFoundByPlace"), std::string::npos);
}

TEST_F(RestoreTest, ARunWhoseOutputWaitsInAnotherDirectoryFailsAndSaysWhatToDo) {
  ASSERT_EQ(run({.stop = Stop::kSuspendedWithOutput}, counting()).kind,
            JobResult::Kind::kSuspended);
  const auto before = visible();
  const auto elsewhere = run({}, [this](const Numbers& numbers) { counts(numbers, "/elsewhere"); });
  expect_fails(elsewhere, {dir_ + "/elsewhere", "give the sink the directory again",
                           "or begin anew with --restart"});
  EXPECT_EQ(visible(), before);
  expect_goes_on();
}

TEST_F(RestoreTest, EachExecutionOfAProgramIsAJobWithANameOfItsOwn) {
  for (int start = 0; start != 2; ++start) {
    Environment env({"--checkpoint-dir", dir_ + "/checkpoints", "--log-level", "error"});
    env.enable_checkpointing(10ms);
    for (const std::uint64_t last : {10, 20, 30}) {
      const auto collected = std::make_shared<Collected<std::uint64_t>>();
      env.from_source(sequence(1, last)).sink_to(collect(collected));
      const auto result = env.execute("k");
      EXPECT_EQ(result.kind, JobResult::Kind::kFinished) << result.what;
      EXPECT_EQ(collected->values().size(), start == 0 ? last : 0u)
          << "each has finished, and says so when it is started again";
    }
  }
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(dir_ + "/checkpoints"))
    names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"k", "k.2", "k.3"}));
}

// One executor thread: what blocks it would hold up the stream that is to free it.
TEST(BlockingTest, AnOperatorThatBlocksHoldsUpNoOther) {
  std::atomic<std::uint64_t> others{0};
  std::atomic<bool> was_freed{false};
  Environment env({"--threads", "1", "--log-level", "error"});
  env.from_source(sequence(1, 1))
      .map([&](const std::uint64_t& n) {
        for (auto seen = others.load(); seen < 100'000; seen = others.load()) others.wait(seen);
        was_freed.store(true);
        return n;
      })
      .fuse()
      .start_new_chain()
      .blocking()
      .sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
  env.from_source(sequence(1, 100'000))
      .map([&](const std::uint64_t& n) {
        others.fetch_add(1);
        others.notify_all();
        return n;
      })
      .sink_to(collect(std::make_shared<Collected<std::uint64_t>>()));
  EXPECT_EQ(env.execute("blocking"), 0);
  EXPECT_TRUE(was_freed.load());
}

}  // namespace
}  // namespace weir
