#include "weir/environment/files_test.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace weir {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

FilesTest::FilesTest() { fs::create_directory(in()); }

std::vector<std::string> FilesTest::arguments(std::vector<std::string> more) const {
  std::vector<std::string> all = {
      "--checkpoint-dir",           dir_ + "/checkpoints", "--threads", "2", "--log-level", "error",
      "-Dweir.watchdog-aborts=true"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Lines FilesTest::write_input(int files, int lines_per_file) const {
  Lines all;
  for (int file = 0; file != files; ++file) {
    std::ofstream out(in() + "/" + std::to_string(file));
    for (int i = 0; i != lines_per_file; ++i) {
      const auto line = "file " + std::to_string(file) + " line " + std::to_string(i);
      out << line << (i % 7 == 0 ? "\r\n" : "\n");
      all.insert(line);
    }
  }
  return all;
}
void FilesTest::write_input(const std::string& name, std::string_view text) const {
  std::ofstream(in() + "/" + name) << text;
}

std::string FilesTest::content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Lines FilesTest::visible(const std::string& out) const {
  Lines lines;
  for (const auto& entry : fs::directory_iterator(dir_ + "/" + out)) {
    if (entry.path().filename().string()[0] == '.') continue;
    std::istringstream text(content(entry.path()));
    for (std::string line; std::getline(text, line);) lines.insert(line);
  }
  return lines;
}

std::vector<std::string> FilesTest::hidden(const std::string& out) const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(dir_ + "/" + out))
    if (const auto name = entry.path().filename().string(); name[0] == '.') names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

void trigger_until(Environment::Control control, std::function<bool()> is_enough) {
  const auto trigger = control.trigger_checkpoint;
  trigger([control = std::move(control),
           is_enough = std::move(is_enough)](Result<CheckpointId> id) mutable {
    // Refused while the tasks are being opened.
    if (!id || !is_enough()) trigger_until(std::move(control), std::move(is_enough));
  });
}

void suspend_after(Environment::Control control, int checkpoints) {
  const auto suspend = control.suspend;
  trigger_until(std::move(control), [suspend, checkpoints]() mutable {
    if (--checkpoints != 0) return false;
    suspend();
    return true;
  });
}

void expect_fails(const JobResult& result, const std::vector<std::string>& words) {
  EXPECT_EQ(result.kind, JobResult::Kind::kFailed) << result.what;
  for (const auto& word : words)
    EXPECT_NE(result.what.find(word), std::string::npos) << word << " is not in: " << result.what;
}

namespace {

struct Counted {
  std::string word;
  std::uint64_t count = 0;
};

TEST_F(FilesTest, OutputIsTheInputExactlyOnce) {
  const auto want = write_input(3, 20'000);
  for (const auto parallelism : {1u, 2u, 3u}) {
    Environment env(arguments());
    env.set_parallelism(parallelism);
    env.enable_checkpointing(10ms);
    const auto name = "out" + std::to_string(parallelism);
    env.from_source(file_lines(in(), {.split_bytes = 10'000, .chunk_bytes = 4096}))
        .sink_to(text_files(dir_ + "/" + name, {.buffer_bytes = 1000, .buffers_max = 3}));
    ASSERT_EQ(env.execute("copy" + std::to_string(parallelism)), 0);
    EXPECT_EQ(visible(name), want);
    EXPECT_EQ(hidden(name), test::kAtRest);
  }
}

TEST_F(FilesTest, WithoutCheckpointsOutputIsVisibleAtTheEnd) {
  const auto want = write_input(2, 1000);
  Environment env(arguments());
  env.set_parallelism(2);
  env.from_source(file_lines(in(), {.split_bytes = 5000})).sink_to(text_files(out()));
  ASSERT_EQ(env.execute("copy"), 0);
  EXPECT_EQ(visible(), want);
  EXPECT_EQ(hidden(), test::kAtRest);
}

TEST_F(FilesTest, AFailureInBetweenLosesAndDoublesNothing) {
  const auto want = write_input(2, 30'000);
  Environment env(arguments({"-Drestart-strategy.fixed-delay.delay=1ms"}));
  env.set_parallelism(2);
  env.enable_checkpointing(10ms);
  std::atomic<int> lines = 0;
  std::atomic<int> failures = 0;
  env
      .from_source(file_lines(
          in(), {.split_bytes = 50'000, .chunk_bytes = 4096, .max_bytes_per_second = 4'000'000}))
      .map([&](const Text& line) {
        if (++lines % 11'000 == 0 && failures < 4) {
          ++failures;
          throw std::runtime_error("a failure of the test");
        }
        return line.str();
      })
      .sink_to(text_files(out(), {.buffer_bytes = 1000}));
  ASSERT_EQ(env.execute("copy"), 0);
  EXPECT_EQ(failures, 4);
  EXPECT_EQ(visible(), want);
  EXPECT_EQ(hidden(), test::kAtRest);
}

TEST_F(FilesTest, AJobThatIsSuspendedGoesOnAtAnotherParallelism) {
  const auto want = write_input(3, 10'000);
  const auto run = [&](std::uint32_t parallelism, std::uint64_t rate) {
    Environment env(arguments({"-Dexecution.checkpointing.num-retained=2"}));
    env.set_parallelism(parallelism);
    env.enable_checkpointing(10ms);
    if (rate != 0)
      env.on_running([](Environment::Control control) { suspend_after(std::move(control), 5); });
    env
        .from_source(file_lines(
            in(), {.split_bytes = 20'000, .chunk_bytes = 4096, .max_bytes_per_second = rate}))
        .uid("lines")
        .map([](const Text& line) { return line.str(); })
        .sink_to(text_files(out(), {.buffer_bytes = 1000}))
        .uid("out");
    return env.execute("copy");
  };
  EXPECT_EQ(run(2, 200'000), 4);
  const auto early = visible();
  EXPECT_LT(early.size(), want.size());
  EXPECT_GT(early.size(), 0u);
  EXPECT_EQ(run(3, 200'000), 4);
  EXPECT_EQ(run(1, 0), 0);
  EXPECT_EQ(visible(), want);
  EXPECT_EQ(hidden(), test::kAtRest);
}

TEST_F(FilesTest, RecordsAreWrittenForPeopleOrAsTheirFormatSays) {
  Environment env(arguments());
  const auto make = [](std::uint64_t n) { return Counted{"w\"" + std::to_string(n), n}; };
  env.from_source(sequence<Counted>(1, 2, make)).sink_to(text_files(out()));
  ASSERT_EQ(env.execute("readable"), 0);
  EXPECT_EQ(visible(), (Lines{"{word: \"w\\\"1\", count: 1}", "{word: \"w\\\"2\", count: 2}"}));
  env.from_source(sequence<Counted>(1, 2, make))
      .sink_to(text_files<Counted>(dir_ + "/out2", [](const Counted& c, std::string& line) {
        line = std::to_string(c.count) + "\t";
        line += c.word;
      }));
  ASSERT_EQ(env.execute("formatted"), 0);
  EXPECT_EQ(visible("out2"), (Lines{"1\tw\"1", "2\tw\"2"}));
}

TEST_F(FilesTest, PrintedLinesGoToStandardOutput) {
  testing::internal::CaptureStdout();
  Environment env(arguments());
  env.enable_checkpointing(10ms);
  env.from_source(sequence(1, 3)).sink_to(print());
  const auto result = env.execute("print");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1\n2\n3\n");
  EXPECT_EQ(result.kind, JobResult::Kind::kFinished);
}

TEST_F(FilesTest, RestartDemandsAnEmptyDirectoryOrOverwriteOutput) {
  const auto run = [&](std::vector<std::string> more, std::uint64_t last) {
    Environment env(arguments(std::move(more)));
    env.set_parallelism(2);
    env.enable_checkpointing(10ms);
    env.from_source(sequence(1, last)).sink_to(text_files(out()));
    return env.execute("numbers");
  };
  ASSERT_EQ(run({}, 2000).kind, JobResult::Kind::kFinished);
  EXPECT_EQ(visible().size(), 2000u);
  const auto refused = run({"--restart"}, 10);
  EXPECT_EQ(refused.kind, JobResult::Kind::kFailed);
  EXPECT_NE(refused.what.find("--overwrite-output"), std::string::npos) << refused.what;
  EXPECT_EQ(visible().size(), 2000u);
  EXPECT_EQ(run({"--restart", "--overwrite-output"}, 10).kind, JobResult::Kind::kFinished);
  EXPECT_EQ(visible(), (Lines{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}));
  EXPECT_EQ(hidden(), test::kAtRest);
}

TEST_F(FilesTest, ADirectoryWithOtherFilesIsRefused) {
  fs::create_directory(out());
  std::ofstream(out() + "/thesis.txt") << "precious\n";
  Environment env(arguments());
  env.from_source(sequence(1, 10)).sink_to(text_files(out()));
  const auto result = env.execute("foreign");
  EXPECT_EQ(result.kind, JobResult::Kind::kFailed);
  EXPECT_NE(result.what.find("thesis.txt, which is not this job's"), std::string::npos)
      << result.what;
  EXPECT_EQ(content(out() + "/thesis.txt"), "precious\n");
}

TEST_F(FilesTest, MissingInputEndsTheJobForGood) {
  Environment env(arguments());
  env.from_source(file_lines(dir_ + "/nowhere")).sink_to(text_files(out()));
  const auto result = env.execute("missing");
  EXPECT_EQ(result.kind, JobResult::Kind::kFailed);
  EXPECT_NE(result.what.find("reading input " + dir_ + "/nowhere"), std::string::npos)
      << result.what;
}

}  // namespace
}  // namespace weir
