#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "weir/environment/files_test.h"

namespace weir {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Kind = JobResult::Kind;

// Input that is not what a job hopes for: each is either read as documented, or named in the error
// that ends the job. Where nothing else is said the restart strategy is the default one, without
// limit: an error that is not taken to be for good would make the test run for ever.
class BadInputTest : public FilesTest {
 protected:
  struct Copy {
    FileLinesOptions read;
    std::vector<std::string> more;
    std::uint32_t parallelism = 1;
    Duration checkpoints = Duration::millis(10);
    std::function<void(Environment::Control)> on_running;
    std::string input;  // empty: in()
  };
  // From in() to out(), line by line.
  JobResult copy(const Copy& how) const {
    Environment env(arguments(how.more));
    env.set_parallelism(how.parallelism);
    if (how.checkpoints.ns != 0) env.enable_checkpointing(how.checkpoints);
    if (how.on_running) env.on_running(how.on_running);
    env.from_source(file_lines(how.input.empty() ? in() : how.input, how.read))
        .sink_to(text_files(out(), {.buffer_bytes = 1000}));
    return env.execute("copy");
  }
  // Suspends the copy on its way, with something visible and something left.
  void suspend_on_the_way(const Lines& want) const {
    const auto result = copy(
        {.read = {.max_bytes_per_second = 100'000},
         .on_running = [](Environment::Control control) { suspend_after(std::move(control), 1); }});
    ASSERT_EQ(result.kind, Kind::kSuspended) << result.what;
    ASSERT_LT(visible().size(), want.size());
  }
  // Nothing is visible that is not input, and nothing twice.
  void expect_part_of(const Lines& want) const {
    const auto lines = visible();
    EXPECT_TRUE(std::includes(want.begin(), want.end(), lines.begin(), lines.end()));
  }
  void expect_whole(const Lines& want) const {
    EXPECT_EQ(visible(), want);
    EXPECT_EQ(hidden(), test::kAtRest);
  }
};

TEST_F(BadInputTest, WhatIsNoRegularFileIsNamed) {
  write_input(1, 100);
  ASSERT_EQ(mkfifo((in() + "/pipe").c_str(), 0600), 0);
  expect_fails(copy({}), {"reading input", in() + "/pipe", "no regular file"});
  expect_fails(copy({.input = in() + "/pipe"}), {"reading input", "pipe", "no regular file"});
  expect_fails(copy({.input = "/dev/null"}), {"reading input /dev/null", "no regular file"});
  fs::remove(in() + "/pipe");
  fs::create_symlink("nowhere", in() + "/link");
  expect_fails(copy({}), {"reading input " + in() + "/link", "No such file"});
}

TEST_F(BadInputTest, EmptyInputFinishesWithEmptyOutput) {
  const auto check = [this](const std::string& what, const Lines& want) {
    for (const auto parallelism : {1u, 3u}) {
      for (const auto checkpoints : {Duration::millis(10), Duration{}}) {
        SCOPED_TRACE(what + ", parallelism " + std::to_string(parallelism) +
                     (checkpoints.ns != 0 ? ", with checkpoints" : ", without"));
        fs::remove_all(out());
        fs::remove_all(dir_ + "/checkpoints");
        ASSERT_EQ(copy({.parallelism = parallelism, .checkpoints = checkpoints}).what, "");
        expect_whole(want);
        if (checkpoints.ns == 0) continue;
        testing::internal::CaptureStdout();
        EXPECT_EQ(copy({.parallelism = parallelism}).kind, Kind::kFinished);
        EXPECT_NE(testing::internal::GetCapturedStdout().find("finished"), std::string::npos);
      }
    }
  };
  check("an empty directory", {});
  write_input(".hidden", "not input\n");
  write_input("_SUCCESS", "not input\n");
  check("hidden files", {});
  write_input("0", "");
  check("an empty file", {});
  write_input("0", "\n");
  check("an empty line", {""});
}

TEST_F(BadInputTest, LinesOfAnyBytesComeThrough) {
  using namespace std::string_literals;
  write_input("0", "a\0b\r\n\r\nlone\rcr\n\n\xff\xfe\n\0\nlast without end"s);
  const Lines want = {"a\0b"s, "", "lone\rcr", "", "\xff\xfe", "\0"s, "last without end"};
  for (const auto parallelism : {1u, 2u}) {
    ASSERT_EQ(copy({.read = {.split_bytes = 5, .chunk_bytes = 3},
                    .more = {"--restart", "--overwrite-output"},
                    .parallelism = parallelism})
                  .what,
              "");
    expect_whole(want);
  }
}

TEST_F(BadInputTest, LinesOfAnyBytesCanBeKeys) {
  using namespace std::string_literals;
  write_input("0", "a\0b\n\n\xff\n\0\n\na\0b\na\0c\na"s);
  Environment env(arguments());
  env.set_parallelism(2);
  const auto collected = std::make_shared<Collected<Keyed<std::string, std::uint64_t>>>();
  env.from_source(file_lines(in(), {.split_bytes = 3}))
      .map([](const Text& line) { return line.str(); })
      .key_by([](const std::string& line) { return line; })
      .count()
      .sink_to(collect(collected));
  ASSERT_EQ(env.execute("keys").what, "");
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [key, count] : collected->values()) counts[key] = std::max(counts[key], count);
  EXPECT_EQ(counts, (std::map<std::string, std::uint64_t>{
                        {"a\0b"s, 2}, {"", 2}, {"\xff", 1}, {"\0"s, 1}, {"a\0c"s, 1}, {"a", 1}}));
}

TEST_F(BadInputTest, ALineOverOneMebibyteEndsTheJobForGood) {
  const std::string longest(std::size_t{1} << 20, 'x');
  write_input("0", "first\n" + longest + "\nlast\n");
  ASSERT_EQ(copy({.read = {.split_bytes = 300'000}, .parallelism = 2}).what, "");
  expect_whole({"first", longest, "last"});
  fs::remove_all(out());
  write_input("0", "first\n" + longest + "x\nlast\n");
  expect_fails(copy({.read = {.split_bytes = 300'000}, .more = {"--restart"}, .parallelism = 2}),
               {in() + "/0: the line at byte 6", "limit of 1048576 bytes", "raise line_bytes_max"});
  expect_part_of({"first", "last"});
  ASSERT_EQ(copy({.read = {.line_bytes_max = (1u << 20) + 1},
                  .more = {"--restart", "--overwrite-output"},
                  .parallelism = 2})
                .what,
            "");
  expect_whole({"first", longest + "x", "last"});
}

TEST_F(BadInputTest, InputThatVanishedWhileTheJobWasAwayEndsItForGood) {
  const auto want = write_input(1, 20'000);
  suspend_on_the_way(want);
  fs::rename(in() + "/0", dir_ + "/elsewhere");
  expect_fails(copy({}), {"reading input " + in() + "/0", "No such file"});
  expect_part_of(want);
  fs::rename(dir_ + "/elsewhere", in() + "/0");
  ASSERT_EQ(copy({}).what, "");
  expect_whole(want);
}

TEST_F(BadInputTest, InputThatVanishesBeforeItsTurnEndsTheJobForGood) {
  const auto want = write_input(2, 10'000);
  expect_fails(copy({.read = {.split_bytes = 50'000, .max_bytes_per_second = 150'000},
                     .on_running =
                         [this](Environment::Control control) {
                           trigger_until(control, [this] { return fs::remove(in() + "/1"); });
                         }}),
               {"reading input " + in() + "/1", "No such file"});
  expect_part_of(want);
}

TEST_F(BadInputTest, InputThatWasTruncatedWhileTheJobWasAwayEndsItForGood) {
  const auto want = write_input(1, 20'000);
  suspend_on_the_way(want);
  const auto text = content(in() + "/0");
  fs::resize_file(in() + "/0", text.size() / 2);
  expect_fails(copy({}), {in() + "/0", "truncated", "put back what was there"});
  expect_part_of(want);
  write_input("0", text);
  ASSERT_EQ(copy({}).what, "");
  expect_whole(want);
}

TEST_F(BadInputTest, InputThatIsTruncatedWhileItIsReadEndsTheJobForGood) {
  const auto want = write_input(1, 50'000);
  expect_fails(copy({.read = {.chunk_bytes = 4096, .max_bytes_per_second = 300'000},
                     .on_running =
                         [this](Environment::Control control) {
                           trigger_until(control, [this] {
                             fs::resize_file(in() + "/0", 1000);
                             return true;
                           });
                         }}),
               {in() + "/0", "truncated", "put back what was there"});
  expect_part_of(want);
}

TEST_F(BadInputTest, InputThatWasReplacedWhileTheJobWasAwayEndsItForGood) {
  const auto want = write_input(1, 20'000);
  suspend_on_the_way(want);
  const auto text = content(in() + "/0");
  write_input("0", "another first line\n" + text);
  expect_fails(copy({}), {in() + "/0", "not those that were there", "put back what was there"});
  expect_part_of(want);
  write_input("0", text);
  ASSERT_EQ(copy({}).what, "");
  expect_whole(want);
}

// A signal without SA_RESTART makes the call that it meets fail with EINTR. While this lives, every
// thread gets one each 200 us.
class StormOfSignals {
 public:
  StormOfSignals() {
    struct sigaction action {};
    action.sa_handler = [](int) { seen_.fetch_add(1, std::memory_order_relaxed); };
    sigaction(SIGUSR1, &action, &before_);
    sender_ = std::thread([this] { send(); });
  }
  ~StormOfSignals() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    sender_.join();
    sigaction(SIGUSR1, &before_, nullptr);
  }
  static int seen() { return seen_; }

 private:
  void send() {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      for (const auto& thread : fs::directory_iterator("/proc/self/task"))
        syscall(SYS_tgkill, getpid(), std::stoi(thread.path().filename()), SIGUSR1);
      over_.wait_for(lock, std::chrono::microseconds(200));
    }
  }

  static inline std::atomic<int> seen_ = 0;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  struct sigaction before_ {};
  std::thread sender_;
};

// Standard output as a pipe whose reader takes little at a time, so that who writes has to wait.
class SlowPipe {
 public:
  SlowPipe() {
    std::fflush(stdout);
    int ends[2];
    WEIR_CHECK(pipe(ends) == 0);
    WEIR_CHECK(dup2(ends[1], STDOUT_FILENO) >= 0);
    close(ends[1]);
    reader_ = std::thread([this, end = ends[0]] {
      char some[512];
      for (;;) {
        const auto got = read(end, some, sizeof some);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text_.append(some, static_cast<std::size_t>(got));
      }
      close(end);
    });
  }
  ~SlowPipe() { WEIR_CHECK(!reader_.joinable()); }
  // Puts standard output back and gives what was written.
  std::string finish() {
    WEIR_CHECK(dup2(before_, STDOUT_FILENO) >= 0);
    close(before_);
    reader_.join();
    return text_;
  }

 private:
  const int before_ = dup(STDOUT_FILENO);
  std::string text_;
  std::thread reader_;
};

TEST_F(BadInputTest, AStormOfSignalsLosesNothing) {
  const auto want = write_input(2, 30'000);
  Environment env(arguments({"--restart-strategy", "none"}));
  env.set_parallelism(2);
  env.enable_checkpointing(10ms);
  const auto lines =
      env.from_source(file_lines(in(), {.split_bytes = 50'000, .chunk_bytes = 4096}));
  lines.sink_to(text_files(out(), {.buffer_bytes = 1000}));
  lines.sink_to(print());
  JobResult result;
  SlowPipe output;
  {
    StormOfSignals storm;
    result = env.execute("storm");
  }
  std::istringstream printed(output.finish());
  ASSERT_EQ(result.what, "");
  EXPECT_GT(StormOfSignals::seen(), 100);
  expect_whole(want);
  Lines seen;
  for (std::string line; std::getline(printed, line);) seen.insert(line);
  EXPECT_EQ(seen, want);
}

}  // namespace
}  // namespace weir
