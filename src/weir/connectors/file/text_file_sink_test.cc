#include "weir/connectors/file/text_file_sink.h"

#include "tests/support/sink_job.h"
#include "weir/connectors/api/sink_contract.h"

namespace weir::connectors {
namespace {

// What a reader sees in the directory "out".
class TextFilesWorld final : public SinkWorld {
 public:
  std::shared_ptr<const Sink<std::string>> make_sink() const override {
    return std::make_shared<const TextFileSink<std::string>>(
        "out", TextFilesOptions{.buffer_bytes = 4, .buffers_max = 2});
  }
  Lines visible() override { return visible_lines(disk(), "out"); }
};

INSTANTIATE_TEST_SUITE_P(TextFiles, SinkContract,
                         testing::Values([] { return std::make_unique<TextFilesWorld>(); }));

class TextFileSinkTest : public SinkTest {};

TEST_F(TextFileSinkTest, EveryLineIsVisibleOnceInPartsThatSayTheirCheckpoint) {
  Job job{.last = 6};
  ASSERT_TRUE(run(job));
  expect_once(job, "a run without faults");
  EXPECT_EQ(disk.tree("out"), (Strings{".weir-sink", ".weir-sink-lock", "part-0-1", "part-0-2",
                                       "part-1-1", "part-1-2"}));
  EXPECT_EQ(text_of(*disk.peek("out/part-1-1")), "number 1\nnumber 3\n");
}

// SK-02, SK-11
TEST_F(TextFileSinkTest, AnIntervalWithoutRecordsMakesNoPart) {
  Job job;
  test::FaultyFiles files(disk);
  Attempt attempt(job, files, 1);
  ASSERT_TRUE(attempt.open());
  ASSERT_TRUE(attempt.checkpoint());
  ASSERT_TRUE(attempt.write(1));
  ASSERT_TRUE(attempt.checkpoint());
  ASSERT_TRUE(attempt.checkpoint());
  EXPECT_EQ(disk.tree("out"), (Strings{".weir-sink", ".weir-sink-lock", "part-0-2"}));
  EXPECT_TRUE(job.completed.back().lists[0].elements("committables").empty());
}

TEST_F(TextFileSinkTest, NothingIsVisibleBeforeItsCheckpointIsComplete) {
  Job job;
  test::FaultyFiles files(disk);
  Attempt attempt(job, files, 1);
  ASSERT_TRUE(attempt.open());
  ASSERT_TRUE(attempt.write(1));
  ASSERT_TRUE(attempt.barrier());
  EXPECT_EQ(visible(), Lines{});
  ASSERT_TRUE(attempt.write(2));
  ASSERT_TRUE(attempt.settled());
  attempt.complete();
  ASSERT_TRUE(attempt.settled());
  EXPECT_EQ(visible(), Lines{"number 1"});
}

TEST_F(TextFileSinkTest, WhatIsAcknowledgedSurvivesAPowerCut) {
  Job job;
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 2);
    ASSERT_TRUE(attempt.open());
    for (std::uint64_t n = 1; n != 10; ++n) ASSERT_TRUE(attempt.write(n));
    ASSERT_TRUE(attempt.barrier());
  }
  disk.cut_power();
  EXPECT_EQ(hidden().size(), 4u) << "owner file, lock file and two staged parts";
}

// The heart of it: the process dies at any call of the disk, with and without the power.
TEST_F(TextFileSinkTest, ACrashAtAnyCallOfTheDiskLosesAndDoublesNothing) {
  for (const bool is_power_cut : {false, true}) {
    for (std::uint64_t k = 1;; ++k) {
      Job job{.directory = "out" + std::to_string(is_power_cut) + "-" + std::to_string(k)};
      const auto what =
          "a crash at call " + std::to_string(k) + (is_power_cut ? " with the power" : "");
      test::FaultyFiles files(disk);
      files.die_at(k);
      const auto first = Attempt(job, files, 2).run();
      if (files.calls() < k) {
        ASSERT_TRUE(first) << first.error().what;
        EXPECT_GT(k, 60u);
        break;
      }
      if (is_power_cut) disk.cut_power();
      // The outcome of a call that fails in the last moment may not reach anybody any more.
      const auto seen = visible(job.directory);
      for (const auto& line : seen) EXPECT_EQ(seen.count(line), 1u) << what << ": " << line;
      ++job.epoch.value;
      const auto second = run(job, 1 + static_cast<std::uint32_t>(k % 3));
      ASSERT_TRUE(second) << what << ": " << second.error().what;
      expect_once(job, what);
    }
  }
}

// Twice in a row: what recovery does may itself be cut off.
TEST_F(TextFileSinkTest, ACrashDuringRecoveryLosesAndDoublesNothing) {
  for (std::uint64_t k = 20; k < 60; k += 7) {
    for (std::uint64_t again = 1;; ++again) {
      Job job{.directory = "out" + std::to_string(k) + "-" + std::to_string(again)};
      const auto what = "crashes at calls " + std::to_string(k) + " and " + std::to_string(again);
      test::FaultyFiles first(disk);
      first.die_at(k);
      std::ignore = Attempt(job, first, 2).run();
      disk.cut_power();
      ++job.epoch.value;
      test::FaultyFiles second(disk);
      second.die_at(again);
      std::ignore = Attempt(job, second, 3).run();
      if (second.calls() < again) break;
      disk.cut_power();
      ++job.epoch.value;
      const auto last = run(job, 1);
      ASSERT_TRUE(last) << what << ": " << last.error().what;
      expect_once(job, what);
    }
  }
}

// SK-09 among them: a rename that was done and whose reply was lost.
TEST_F(TextFileSinkTest, AnErrorAtAnyCallOfTheDiskLosesAndDoublesNothing) {
  using Deed = test::FaultyFiles::Deed;
  for (const auto code : {Code::kUnavailable, Code::kExhausted}) {
    for (const auto deed : {Deed::kNotDone, Deed::kDone}) {
      for (std::uint64_t k = 1;; ++k) {
        Job job{.directory = "out" + std::to_string(int(code)) + "-" + std::to_string(int(deed)) +
                             "-" + std::to_string(k)};
        test::FaultyFiles files(disk);
        files.fail(k, {.code = code, .deed = deed});
        auto status = Attempt(job, files, 2).run();
        if (files.calls() < k) break;
        const auto what = files.failed_call()->name + " " + files.failed_call()->path;
        // The same process tries again: its next attempt, from the newest completed checkpoint.
        if (!status) {
          EXPECT_FALSE(is_for_good(status.error().code)) << what << ": " << status.error().what;
          status = Attempt(job, files, 2).run();
        }
        ASSERT_TRUE(status) << what << ": " << status.error().what;
        expect_once(job, what);
      }
    }
  }
}

// DK-04: the disk is full for a while.
TEST_F(TextFileSinkTest, ADiskThatIsFullFailsTheAttemptAndItResumesWhenThereIsRoom) {
  Job job;
  test::FaultyFiles files(disk);
  {
    Attempt attempt(job, files, 1);
    ASSERT_TRUE(attempt.open());
    ASSERT_TRUE(attempt.write(1));
    ASSERT_TRUE(attempt.write(2));
    ASSERT_TRUE(attempt.checkpoint());
    job.completed.back().next = 3;
    files.fail(files.calls() + 1, {.code = Code::kExhausted});
    ASSERT_TRUE(attempt.write(3));
    expect_says(attempt.barrier(), Code::kExhausted, {"create", ".staged-"});
  }
  ASSERT_TRUE(Attempt(job, files, 1).run());
  expect_once(job, "the disk was full");
}

// SK-05
TEST_F(TextFileSinkTest, SeveralPendingPartsOfASubtaskAreAllCommittedAfterARestore) {
  Job job{.last = 4};
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 2);
    ASSERT_TRUE(attempt.open());
    ASSERT_TRUE(attempt.write(1));
    ASSERT_TRUE(attempt.write(2));
    ASSERT_TRUE(attempt.barrier());  // It never completes.
    ASSERT_TRUE(attempt.write(3));
    ASSERT_TRUE(attempt.write(4));
    ASSERT_TRUE(attempt.barrier());
    files.die_at(files.calls() + 1);  // It completes, but nobody comes to commit.
    attempt.complete();
    job.completed.back().next = 5;
  }
  EXPECT_EQ(visible(), Lines{});
  ++job.epoch.value;
  ASSERT_TRUE(run(job, 1));
  expect_once(job, "two pending parts of each of two subtasks");
  EXPECT_EQ(disk.tree("out"), (Strings{".weir-sink", ".weir-sink-lock", "part-0-1", "part-0-2",
                                       "part-1-1", "part-1-2"}));
}

TEST_F(TextFileSinkTest, ACommittedPartIsCheckedByLengthAndChecksum) {
  for (const std::string damage : {"", "number 1", "number 2\n"}) {
    Job job{.directory = "out" + damage.substr(0, 8) + std::to_string(damage.size())};
    {
      test::FaultyFiles files(disk);
      Attempt attempt(job, files, 1);
      ASSERT_TRUE(attempt.open());
      ASSERT_TRUE(attempt.write(1));
      ASSERT_TRUE(attempt.checkpoint());
      job.completed.back().next = 2;
    }
    // The checkpoint still holds the part as pending: its commit came after it.
    const auto part = job.directory + "/part-0-1";
    if (damage.empty()) {
      ASSERT_TRUE(disk.remove(part));
    } else {
      put(part, damage);
    }
    ++job.epoch.value;
    const auto status = run(job, 1);
    if (damage.empty()) {
      expect_says(status, Code::kCorrupt,
                  {"neither " + job.directory + "/.staged-", "part-0-1", "Put the file back"});
    } else {
      expect_says(
          status, Code::kCorrupt,
          {part + " is not what was staged", damage.size() == 8 ? "8 bytes, want 9" : "checksum"});
    }
  }
}

TEST_F(TextFileSinkTest, AStagedPartThatWasTouchedBeforeItsCommitIsNotMadeVisible) {
  for (const std::string damage : {"number 1", "number 2\n", "number 1\njunk"}) {
    Job job{.directory = "out" + std::to_string(damage.size())};
    std::string staged;
    {
      test::FaultyFiles files(disk);
      Attempt attempt(job, files, 1);
      ASSERT_TRUE(attempt.open());
      ASSERT_TRUE(attempt.write(1));
      ASSERT_TRUE(attempt.barrier());
      ASSERT_TRUE(attempt.settled());
      for (const auto& name : disk.tree(job.directory))
        if (name.starts_with(".staged-")) staged = job.directory + "/" + name;
      ASSERT_FALSE(staged.empty());
      put(staged, damage);
      attempt.complete();
      const auto status = attempt.settled();
      expect_says(status, Code::kCorrupt, {staged + " is not what was staged"});
    }
    EXPECT_EQ(visible_lines(disk, job.directory), Lines{});
  }
}

TEST_F(TextFileSinkTest, ANameFromACheckpointCannotLeadOutOfTheDirectory) {
  test::StepEnv world(disk);
  PartCommitter committer("out", {.env = &world.env()});
  ASSERT_TRUE(disk.make_directories("out"));
  put("secret", "text\n");
  const auto outcome = committer.commit({{.checkpoint = {1}, .subtask = {0}, .what = "../secret"}});
  expect_says(outcome.status, Code::kCorrupt, {"'../secret'"});
  EXPECT_TRUE(disk.peek("secret"));
}

TEST_F(TextFileSinkTest, InSteadyStateBuffersAreUsedAgain) {
  test::StepEnv world(disk);
  config::Configuration options;
  std::ignore = options.declare(kRewindOutput.declaration());
  std::ignore = options.declare(kOverwriteOutput.declaration());
  SinkContext context{.name = "out[0]",
                      .job = {{1}},
                      .has_checkpoints = true,
                      .env = &world.env(),
                      .options = &options,
                      .post = world.post()};
  PartWriter parts("out", {.buffer_bytes = 100, .buffers_max = 3});
  ASSERT_TRUE(parts.open(context));
  std::size_t waits = 0;
  for (int i = 0; i != 1000; ++i) {
    auto* buffer = parts.buffer();
    for (; !buffer; buffer = parts.buffer()) {
      ++waits;
      ASSERT_FALSE(parts.is_quiet());
      ASSERT_TRUE(world.run_io());
      ASSERT_TRUE(world.run_letter());
    }
    *buffer += "a line of twenty-two b\n";
  }
  EXPECT_EQ(parts.buffers_made(), 3u);
  EXPECT_GT(waits, 100u);
  world.settle();
  EXPECT_TRUE(parts.is_quiet());
}

}  // namespace
}  // namespace weir::connectors
