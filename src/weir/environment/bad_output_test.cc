#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/address_space.h"
#include "weir/environment/files_test.h"

namespace weir {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Kind = JobResult::Kind;

// Where output and checkpoints cannot go as they should.
class BadOutputTest : public FilesTest {
 protected:
  // The numbers first .. last to out(), with checkpoints.
  JobResult numbers(const std::string& job, std::uint64_t first, std::uint64_t last,
                    std::vector<std::string> more = {}) const {
    Environment env(arguments(std::move(more)));
    env.set_parallelism(2);
    env.enable_checkpointing(10ms);
    env.from_source(sequence(first, last)).uid("numbers").sink_to(text_files(out())).uid("out");
    return env.execute(job);
  }
};

TEST_F(BadOutputTest, TwoSinksInOneDirectoryAreRefusedHoweverItIsCalled) {
  for (const auto& [one, other] :
       {std::pair{out(), out()}, {out(), in() + "/../out"}, {dir_ + "//out/", out()}}) {
    Environment env(arguments({"--restart"}));
    env.enable_checkpointing(10ms);
    const auto numbers = env.from_source(sequence(1, 10));
    numbers.sink_to(text_files(one));
    numbers.sink_to(text_files(other));
    expect_fails(env.execute("two sinks"), {"Give each sink a directory of its own"});
    fs::remove_all(out());
  }
}

TEST_F(BadOutputTest, TheDirectoryOfAnotherJobIsRefusedAndLeftAlone) {
  ASSERT_EQ(numbers("first", 1, 3).what, "");
  expect_fails(numbers("second", 4, 6), {out(), "earlier run"});
  EXPECT_EQ(visible(), (Lines{"1", "2", "3"}));
  EXPECT_EQ(hidden(), test::kAtRest);
}

TEST_F(BadOutputTest, WithoutCheckpointsOutputOfAnEarlierRunIsRefusedForThatReason) {
  ASSERT_EQ(numbers("again", 1, 3).what, "");
  expect_fails(numbers("again", 4, 6, {"--checkpoint-interval", "0"}),
               {out(), "earlier run", "--checkpoint-interval 0", "give it an interval"});
  EXPECT_EQ(visible(), (Lines{"1", "2", "3"}));
}

TEST_F(BadOutputTest, ARestartTakesAnEmptyDirectory) {
  ASSERT_EQ(numbers("again", 1, 3).what, "");
  fs::remove_all(out());
  ASSERT_EQ(numbers("again", 4, 6, {"--restart"}).what, "");
  EXPECT_EQ(visible(), (Lines{"4", "5", "6"}));
  EXPECT_EQ(hidden(), test::kAtRest);
}

// Its output is gone, so the run that it belonged to must not be said to be kept or finished.
TEST_F(BadOutputTest, ARunThatGaveItsOutputUpIsNotGoneBackTo) {
  const auto copy = [this](std::vector<std::string> more) {
    Environment env(arguments(std::move(more)));
    env.enable_checkpointing(10ms);
    env.from_source(file_lines(in()), "lines").uid("lines").sink_to(text_files(out())).uid("out");
    return env.execute("copy");
  };
  const auto want = write_input(1, 10);
  ASSERT_EQ(copy({}).what, "");
  fs::rename(in(), dir_ + "/elsewhere");
  const auto refused = copy({"--restart", "--overwrite-output"});
  expect_fails(refused, {"No such file"});
  EXPECT_EQ(refused.what.find("is kept"), std::string::npos) << refused.what;
  fs::rename(dir_ + "/elsewhere", in());
  ASSERT_EQ(copy({}).what, "");
  EXPECT_EQ(visible(), want);
}

TEST_F(BadOutputTest, AJobThatCouldNotBeSuspendedDoesNotBegin) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(next, 0);
  close(next);
  const rlimit none{.rlim_cur = static_cast<rlim_t>(next), .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto result = numbers("deaf", 1, 3);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  expect_fails(result, {"pipe for signals", "Too many open files", "ulimit -n"});
  EXPECT_FALSE(fs::exists(out()));
  EXPECT_FALSE(fs::exists(dir_ + "/checkpoints"));
}

TEST_F(BadOutputTest, ACheckpointDirectoryThatVanishesUnderTheJobEndsItForGood) {
  write_input(2, 10'000);
  Environment env(arguments());
  env.enable_checkpointing(10ms);
  env.on_running([this](Environment::Control control) {
    trigger_until(control, [this] { return fs::remove_all(dir_ + "/checkpoints") != 0; });
  });
  env.from_source(file_lines(in(), {.max_bytes_per_second = 200'000}), "lines")
      .sink_to(text_files(out()));
  expect_fails(env.execute("vanishing"), {"run", "vanished"});
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // They need the address space.
TEST_F(BadOutputTest, WhereNoThreadCanBeStartedTheJobEndsAndSaysSo) {
  const auto run_in_little_memory = [this] {
    test::leave_no_room_for_a_stack();
    std::exit(numbers("threads", 1, 3));
  };
  EXPECT_EXIT(run_in_little_memory(), testing::ExitedWithCode(1),
              "starting the threads of a job.*ulimit");
}
#endif

// What a checkpoint of the job consists of can be damaged or of another build: the text says what to
// do, the checkpoint stays, and the status is 1, since neither options nor definition are wrong.
TEST_F(BadOutputTest, ACheckpointThatCannotBeReadEndsWithOneAndSaysWhatToDo) {
  write_input(1, 20'000);
  const auto run = [this](bool suspend) {
    Environment env(arguments());
    env.enable_checkpointing(10ms);
    if (suspend)
      env.on_running([](Environment::Control control) { suspend_after(std::move(control), 1); });
    env.from_source(file_lines(in(), {.max_bytes_per_second = suspend ? 100'000u : 0u}))
        .sink_to(text_files(out()));
    return env.execute("damaged");
  };
  ASSERT_EQ(run(true).kind, Kind::kSuspended);
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(dir_ + "/checkpoints"))
    if (entry.is_regular_file()) files[entry.path().filename()] = entry.path();
  const auto with = [&](const std::string& name, std::size_t at, const std::string& bytes,
                        const std::vector<std::string>& words) {
    const auto healthy = content(files.at(name));
    auto damaged = healthy;
    std::ofstream(files.at(name)) << damaged.replace(at, bytes.size(), bytes);
    expect_fails(run(false), words);
    EXPECT_EQ(content(files.at(name)), damaged);
    std::ofstream(files.at(name)) << healthy;
  };
  with("_metadata", 8, "X", {"_metadata: total checksum differs", "put it back, or begin anew"});
  with("_metadata", 40, "XXXX", {"_metadata", "checksum differs", "put it back, or begin anew"});
  with("run", 9, "7", {"/run: 'weir-run 7' is another version", "start the build that wrote it"});
  with("run", 20, "XXXX", {"/run: checksum differs", "put back what was there"});
  fs::rename(files.at("_metadata"), dir_ + "/elsewhere");
  expect_fails(run(false), {"_metadata is missing", "put it back, or begin anew with --restart"});
  fs::rename(dir_ + "/elsewhere", files.at("_metadata"));
  ASSERT_EQ(run(false).what, "");
}

}  // namespace
}  // namespace weir
