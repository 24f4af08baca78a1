#include <algorithm>

#include "tests/support/sink_job.h"
#include "weir/connectors/file/part_names.h"
#include "weir/connectors/file/sink_directory.h"

namespace weir::connectors {
namespace {

// Of the lock that Subtask 0 takes, and of what may be said of whoever has it.
class SinkDirectoryLockTest : public SinkTest {
 protected:
  // Of an attempt with two Subtasks; the first of two full buffers is on the disk then.
  static void stage_by_subtask_1(Attempt& attempt) {
    for (const auto number : {9u, 11u}) ASSERT_TRUE(attempt.write(number));
    ASSERT_TRUE(attempt.settled());
  }
};

// Its owner is there and writes: nothing of it may go, whatever the other run was told.
TEST_F(SinkDirectoryLockTest, ADirectoryThatARunningJobWritesToIsNotTakenOver) {
  Job running;
  test::FaultyFiles files(disk);
  Attempt attempt(running, files, 2);
  write_a_line(attempt);
  const auto before = disk.tree("out");
  for (const bool may_overwrite : {false, true}) {
    Job other{.job = {{2}}, .may_overwrite = may_overwrite};
    expect_says(run(other), Code::kRefused,
                {"opening output directory out for sink out", "It belongs to sink out",
                 "job " + running.job.to_hex(), "another run writes to it", "another directory"});
    EXPECT_EQ(disk.tree("out"), before);
  }
  ASSERT_TRUE(attempt.finish());
  EXPECT_EQ(visible(), numbers(1));
}

// Only Subtask 0 knows whether the other run is there; what the others would say of it might be heard first.
TEST_F(SinkDirectoryLockTest, WhicheverSubtaskOpensFirstSubtask0SaysWhyADirectoryIsRefused) {
  Job running;
  test::FaultyFiles files(disk);
  Attempt attempt(running, files, 2);
  write_a_line(attempt);
  Job other{.job = {{2}}};
  Attempt second(other, files, 2);
  ASSERT_TRUE(second.open(1));
  stage_by_subtask_1(second);
  EXPECT_TRUE(StagedName::parse(hidden().front())) << hidden().front();
  EXPECT_EQ(visible(), numbers(1));
  const auto refused = second.open(0);
  expect_says(refused, Code::kRefused, {"it is held already", "Stop that run"});
  EXPECT_EQ(refused.error().what.find("mpty"), std::string::npos) << refused.error().what;
  EXPECT_EQ(visible(), numbers(1));
  ASSERT_TRUE(attempt.finish());
  EXPECT_EQ(visible(), numbers(1));
}

// The same mistake is the same answer, whichever of them is there first and whatever else was there.
TEST_F(SinkDirectoryLockTest, TwoSinksOfAJobHearTheSameWhileOneOfThemWrites) {
  const auto other_id = operator_id_of("other");
  for (const bool is_other_first : {false, true}) {
    const std::string directory = is_other_first ? "b" : "a";
    Job one{.directory = directory}, two{.sink = other_id, .directory = directory};
    if (is_other_first) std::swap(one, two);
    test::FaultyFiles files(disk);
    Attempt attempt(one, files, 2);
    ASSERT_TRUE(attempt.open());
    for (const std::uint32_t subtask : {0u, 1u}) {
      const auto status = Attempt(two, files, 2).open(subtask);
      expect_says(status, Code::kInvalid,
                  {"opening output directory " + directory, "this very job",
                   "Give each sink a directory of its own"});
      for (const std::string wrong : {"process", "held", "top", "running"})
        EXPECT_EQ(status.error().what.find(wrong), std::string::npos) << status.error().what;
    }
  }
}

// The owner file still names the run before.
TEST_F(SinkDirectoryLockTest, ADirectoryThatIsBeingTakenOverIsNotSaidToBelongToARunningJob) {
  Job old;
  ASSERT_TRUE(run(old));
  const auto held = *disk.lock("out/.weir-sink-lock");
  ASSERT_TRUE(held.lock);
  Job third{.job = {{3}}, .may_overwrite = true};
  const auto refused = run(third);
  expect_says(refused, Code::kRefused, {"another run writes to it", old.job.to_hex()});
  for (const std::string wrong : {"running", "process"})
    EXPECT_EQ(refused.error().what.find(wrong), std::string::npos) << refused.error().what;
  Job other_sink{.job = {{3}}, .sink = operator_id_of("other"), .may_overwrite = true};
  expect_says(run(other_sink), Code::kInvalid, {"Give this sink another directory"});
}

TEST_F(SinkDirectoryLockTest, ALockOnItsOwnDirectoryIsWaitedForByTheNextAttempt) {
  Job job;
  ASSERT_TRUE(disk.make_directories("out"));
  auto held = *disk.lock("out/.weir-sink-lock");
  ASSERT_TRUE(held.lock);
  const auto status = run(job);
  expect_says(status, Code::kUnavailable, {"out/.weir-sink-lock", "has not let it go"});
  EXPECT_EQ(status.error().what.find("top that"), std::string::npos) << status.error().what;
  held.lock.reset();
  ASSERT_TRUE(run(job));
  expect_once(job, "the attempt after");
}

// What the other Subtasks of a run staged whose Subtask 0 was refused: nobody else would remove it.
TEST_F(SinkDirectoryLockTest, WhatARefusedRunStagedIsRemovedByTheNextAttemptThatHoldsTheDirectory) {
  for (const bool has_locks : {true, false}) {
    Job owner{.directory = has_locks ? "a" : "b"};
    const auto stage_as_refused = [&] {
      Job other{.job = {{2}}, .directory = owner.directory};
      test::FaultyFiles files(disk);
      Attempt second(other, files, 2);
      ASSERT_TRUE(second.open(1));
      stage_by_subtask_1(second);
      ASSERT_FALSE(second.open(0));
    };
    disk.set_locks(has_locks);
    {
      test::FaultyFiles files(disk);
      Attempt attempt(owner, files, 2);
      ASSERT_TRUE(attempt.open());
      stage_as_refused();
    }
    const auto left = hidden(owner.directory);
    ASSERT_TRUE(StagedName::parse(left.front())) << left.front();
    ASSERT_TRUE(run(owner));
    EXPECT_EQ(visible(owner.directory), numbers(owner.last));
    const auto hidden_now = hidden(owner.directory);
    EXPECT_EQ(std::count(hidden_now.begin(), hidden_now.end(), left.front()), has_locks ? 0 : 1)
        << (has_locks ? "nobody else is there" : "for all we know the other run is there");
  }
}

TEST_F(SinkDirectoryLockTest, AnAttemptThatIsOverHoldsItsDirectoryNoLonger) {
  Job job;
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 2);
    ASSERT_TRUE(attempt.open());
  }
  ASSERT_TRUE(run(job));
  expect_once(job, "the next attempt");
}

TEST_F(SinkDirectoryLockTest, WithoutLocksItIsWrittenToAllTheSame) {
  disk.set_locks(false);
  Job job;
  test::KeptLog log;
  ASSERT_TRUE(run(job));
  expect_logged_once(log, "OutputNotLocked", {"sink=out[0]", "directory=out", "has no locks"});
  EXPECT_EQ(visible(), numbers(job.last));
  EXPECT_EQ(hidden(), (Strings{".weir-sink"}));
}

// Not a lock that somebody holds, but a file that we may not open: whoever the directory belongs to.
TEST_F(SinkDirectoryLockTest, ALockFileThatMayNotBeOpenedIsNotCalledARunningJob) {
  Job old;
  ASSERT_TRUE(run(old));
  Job job{.job = {{2}}, .may_overwrite = true};
  test::FaultyFiles files(disk);
  for (std::uint64_t k = 1;; ++k) {
    ASSERT_LT(k, 20u);
    files.fail(files.calls() + k, {.code = Code::kRefused});
    const auto status = Attempt(job, files, 1).run();
    if (files.failed_call()->name != "lock") continue;
    EXPECT_EQ(status.error(), (Error{Code::kRefused,
                                     "opening output directory out: lock "
                                     "out/.weir-sink-lock: a fault of the test"}));
    break;
  }
  EXPECT_EQ(visible(), numbers(old.last));
}

TEST_F(SinkDirectoryLockTest, ADirectoryInTheLocksPlaceIsAnErrorThatNamesIt) {
  Job job;
  test::KeptLog log;
  ASSERT_TRUE(disk.make_directories("out/.weir-sink-lock"));
  expect_says(run(job), Code::kInvalid, {"out/.weir-sink-lock: Is a directory"});
  EXPECT_EQ(log.take("OutputNotLocked"), Strings{});
}

}  // namespace
}  // namespace weir::connectors
