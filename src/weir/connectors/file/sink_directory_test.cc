#include "weir/connectors/file/sink_directory.h"

#include <algorithm>

#include "tests/support/sink_job.h"
#include "weir/base/log.h"
#include "weir/base/mutex.h"
#include "weir/connectors/file/part_names.h"

namespace weir::connectors {
namespace {

class SinkDirectoryTest : public SinkTest {
 protected:
  // Of an attempt with two Subtasks; the first of two full buffers is on the disk then.
  static void stage_by_subtask_1(Attempt& attempt) {
    for (const std::uint64_t number : {9, 11}) ASSERT_TRUE(attempt.write(number));
    ASSERT_TRUE(attempt.settled());
  }
};

// The lines that are logged as long as it lives.
class EventsSeen final : public log::Sink {
 public:
  EventsSeen() { log::set_sink(this); }
  ~EventsSeen() override { log::set_sink(before_); }
  EventsSeen(const EventsSeen&) = delete;
  EventsSeen& operator=(const EventsSeen&) = delete;

  bool wants(log::Level level) const override { return level >= log::Level::kWarning; }
  void write(log::Level, std::string_view line) override {
    MutexLock lock(mutex_);
    lines_.emplace_back(line);
  }
  Strings of(const std::string& event) const {
    MutexLock lock(mutex_);
    Strings lines;
    for (const auto& line : lines_)
      if (line.starts_with(event)) lines.push_back(line);
    return lines;
  }
  // Whether some event of that name says all of the words.
  bool has(const std::string& event, const Strings& words) const {
    const auto says_all = [&](const std::string& line) {
      return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return line.find(word) != std::string::npos;
      });
    };
    const auto lines = of(event);
    return std::any_of(lines.begin(), lines.end(), says_all);
  }

 private:
  log::Sink* const before_ = log::sink();
  mutable Mutex mutex_;
  Strings lines_ WEIR_GUARDED_BY(mutex_);
};

TEST_F(SinkDirectoryTest, TwoSinksOfAJobCannotShareADirectory) {
  Job job;
  ASSERT_TRUE(run(job));
  Job other{.sink = operator_id_of("other"), .may_overwrite = true};
  expect_says(run(other), Code::kInvalid,
              {"opening output directory out", "this very job", "directory of its own"});
  EXPECT_EQ(visible(), numbers(job.last));
}

TEST_F(SinkDirectoryTest, AnotherJobsSinkCannotTakeTheDirectory) {
  Job job;
  ASSERT_TRUE(run(job));
  Job other{.job = {{2}}, .sink = operator_id_of("other"), .may_overwrite = true};
  expect_says(run(other), Code::kInvalid,
              {"belongs to sink out", job.job.to_hex(), "another directory"});
  EXPECT_EQ(visible(), numbers(job.last));
}

TEST_F(SinkDirectoryTest, ForeignFilesAreLeftAlone) {
  for (const char* name : {"thesis.txt", ".hidden", "part-0-1", "below/file"}) {
    const auto directory =
        std::string("out-") + (name[0] == '.' ? name + 1 : std::string(name).substr(0, 4));
    ASSERT_TRUE(disk.make_directories(directory + "/below"));
    put(directory + "/" + name, "precious\n");
    Job job{.directory = directory, .may_overwrite = true};
    expect_says(run(job), Code::kInvalid, {"which is not this job's", "empty directory"});
    EXPECT_EQ(text_of(*disk.peek(directory + "/" + name)), "precious\n");
    EXPECT_FALSE(disk.peek(directory + "/.weir-sink-lock"));
  }
}

TEST_F(SinkDirectoryTest, ANewRunDemandsAnEmptyDirectoryOrOverwritesItsOwnEarlierOutput) {
  for (const bool has_checkpoints : {true, false}) {
    Job old{.directory = "out" + std::to_string(has_checkpoints), .last = 20};
    ASSERT_TRUE(run(old, 3));
    const StagedName staged{.job = old.job,
                            .sink = old.sink,
                            .subtask = {5},
                            .epoch = {1},
                            .attempt = {1},
                            .after = {7}};
    put(old.directory + "/" + staged.text(), "never committed\n");
    put(old.directory + "/_notes", "somebody's\n");
    Job fresh{
        .job = {{2}}, .directory = old.directory, .last = 7, .has_checkpoints = has_checkpoints};
    expect_says(run(fresh), Code::kInvalid,
                {"earlier run", old.job.to_hex(), "--overwrite-output",
                 has_checkpoints ? "" : "--checkpoint-interval 0"});
    EXPECT_TRUE(disk.peek(old.directory + "/" + staged.text()));
    fresh.may_overwrite = true;
    ASSERT_TRUE(run(fresh));
    EXPECT_EQ(text_of(*disk.peek(old.directory + "/_notes")), "somebody's\n")
        << "it removes only what is its own";
    ASSERT_TRUE(disk.remove(old.directory + "/_notes"));
    expect_once(fresh, "after overwriting");
  }
}

// Whoever comes first while Subtask 0 is still at it: nothing of the old run is taken for ours, nothing of ours is removed.
TEST_F(SinkDirectoryTest, ACrashWhileAnOldRunIsOverwrittenLeavesADirectoryThatCanBeOverwritten) {
  for (std::uint64_t k = 1;; ++k) {
    Job old{.directory = "out" + std::to_string(k), .last = 9};
    ASSERT_TRUE(run(old));
    Job fresh{.job = {{2}}, .directory = old.directory, .last = 5, .may_overwrite = true};
    test::FaultyFiles files(disk);
    files.die_at(k);
    std::ignore = Attempt(fresh, files, 2).run();
    if (files.calls() < k) break;
    disk.cut_power();
    ++fresh.epoch.value;
    const auto status = run(fresh, 2);
    ASSERT_TRUE(status) << k << ": " << status.error().what;
    expect_once(fresh, "a crash at call " + std::to_string(k));
  }
}

TEST_F(SinkDirectoryTest, AnErrorWhileAnOldRunIsOverwrittenIsTriedAgain) {
  for (std::uint64_t k = 1;; ++k) {
    Job old{.directory = "out" + std::to_string(k), .last = 20};
    ASSERT_TRUE(run(old));
    Job fresh{.job = {{2}}, .directory = old.directory, .last = 5, .may_overwrite = true};
    test::FaultyFiles files(disk);
    files.fail(k, {.code = Code::kUnavailable});
    auto status = Attempt(fresh, files, 2).run();
    if (files.calls() < k) break;
    if (!status) status = Attempt(fresh, files, 2).run();
    ASSERT_TRUE(status) << k << ": " << status.error().what;
    expect_once(fresh, "an error at call " + std::to_string(k));
  }
}

// Its owner is there and writes: nothing of it may go, whatever the other run was told.
TEST_F(SinkDirectoryTest, ADirectoryThatARunningJobWritesToIsNotTakenOver) {
  Job running;
  test::FaultyFiles files(disk);
  Attempt attempt(running, files, 2);
  ASSERT_TRUE(attempt.open());
  ASSERT_TRUE(attempt.write(attempt.next()));
  ASSERT_TRUE(attempt.checkpoint());
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
TEST_F(SinkDirectoryTest, WhicheverSubtaskOpensFirstSubtask0SaysWhyADirectoryIsRefused) {
  Job running;
  test::FaultyFiles files(disk);
  Attempt attempt(running, files, 2);
  ASSERT_TRUE(attempt.open());
  ASSERT_TRUE(attempt.write(attempt.next()));
  ASSERT_TRUE(attempt.checkpoint());
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
TEST_F(SinkDirectoryTest, TwoSinksOfAJobHearTheSameWhileOneOfThemWrites) {
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
TEST_F(SinkDirectoryTest, ADirectoryThatIsBeingTakenOverIsNotSaidToBelongToARunningJob) {
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

TEST_F(SinkDirectoryTest, ALockOnItsOwnDirectoryIsWaitedForByTheNextAttempt) {
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
TEST_F(SinkDirectoryTest, WhatARefusedRunStagedIsRemovedByTheNextAttemptThatHoldsTheDirectory) {
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

TEST_F(SinkDirectoryTest, AnAttemptThatIsOverHoldsItsDirectoryNoLonger) {
  Job job;
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 2);
    ASSERT_TRUE(attempt.open());
  }
  ASSERT_TRUE(run(job));
  expect_once(job, "the next attempt");
}

TEST_F(SinkDirectoryTest, WithoutLocksItIsWrittenToAllTheSame) {
  disk.set_locks(false);
  Job job;
  EventsSeen log;
  ASSERT_TRUE(run(job));
  EXPECT_EQ(log.of("OutputNotLocked").size(), 1u);
  EXPECT_TRUE(log.has("OutputNotLocked", {"sink=out[0]", "directory=out", "has no locks"}));
  EXPECT_EQ(visible(), numbers(job.last));
  EXPECT_EQ(hidden(), (Strings{".weir-sink"}));
}

// Not a lock that somebody holds, but a file that we may not open: whoever the directory belongs to.
TEST_F(SinkDirectoryTest, ALockFileThatMayNotBeOpenedIsNotCalledARunningJob) {
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

TEST_F(SinkDirectoryTest, ADirectoryInTheLocksPlaceIsAnErrorThatNamesIt) {
  Job job;
  EventsSeen log;
  ASSERT_TRUE(disk.make_directories("out/.weir-sink-lock"));
  expect_says(run(job), Code::kInvalid, {"out/.weir-sink-lock: Is a directory"});
  EXPECT_FALSE(log.has("OutputNotLocked", {}));
}

TEST_F(SinkDirectoryTest, ADirectoryStillBeingTakenOverGetsNoVisiblePart) {
  Job old;
  ASSERT_TRUE(run(old));
  PartCommitter committer(disk, "out");
  const StagedName staged{
      .job = {{2}}, .sink = old.sink, .subtask = {1}, .epoch = {1}, .attempt = {1}, .after = {0}};
  put("out/" + staged.text(), "line\n");
  const auto outcome = committer.commit(
      {{.checkpoint = {1}, .subtask = {1}, .job = staged.job, .what = staged.text()}});
  EXPECT_EQ(outcome.committed, 0u);
  expect_says(outcome.status, Code::kUnavailable, {"still belongs to job " + old.job.to_hex()});
}

TEST_F(SinkDirectoryTest, ADirectoryThatMayNotBeWrittenEndsTheJobForGood) {
  Job job;
  test::FaultyFiles files(disk);
  files.fail(4, {.code = Code::kRefused});
  const auto status = Attempt(job, files, 1).run();
  EXPECT_EQ(files.failed_call()->name, "create");
  expect_says(status, Code::kRefused, {"create", "out/"});
  EXPECT_TRUE(is_for_good(status.error().code));
}

TEST_F(SinkDirectoryTest, AnOwnerFileThatSaysNothingIsAnError) {
  ASSERT_TRUE(disk.make_directories("out"));
  put("out/.weir-sink", "weir-sink 1\n");
  Job job;
  expect_says(run(job), Code::kCorrupt, {"reading out/.weir-sink", "empty the directory"});
}

TEST_F(SinkDirectoryTest, PartsThatBelongToNoCheckpointAreSweptByWhoeverFollowsTheirSubtask) {
  Job job;
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 3);
    ASSERT_TRUE(attempt.open());
    for (std::uint64_t n = 1; n != 4; ++n) ASSERT_TRUE(attempt.write(n));
    ASSERT_TRUE(attempt.barrier());  // It fails, and so does the attempt.
  }
  const StagedName other_sink{.job = {{9}},
                              .sink = operator_id_of("other"),
                              .subtask = {0},
                              .epoch = {1},
                              .attempt = {1},
                              .after = {7}};
  put("out/" + other_sink.text(), "not ours\n");
  EXPECT_EQ(hidden().size(), 2 + 3 + 1u);
  test::FaultyFiles files(disk);
  Attempt attempt(job, files, 2);
  ASSERT_TRUE(attempt.open());
  EXPECT_EQ(hidden(), (Strings{other_sink.text(), ".weir-sink", ".weir-sink-lock"}))
      << "another sink's are not ours to remove";
}

// SK-08
TEST_F(SinkDirectoryTest, AnOlderCheckpointIsRefusedUnlessTheOutputIsRewound) {
  Job job;
  ASSERT_TRUE(run(job));
  const auto all = disk.tree("out");
  ASSERT_GE(job.completed.size(), 4u);
  job.completed.resize(2);
  ++job.epoch.value;
  const StagedName pending{
      .job = job.job, .sink = job.sink, .subtask = {0}, .epoch = {1}, .attempt = {1}, .after = {4}};
  put("out/" + pending.text(), "staged for a newer checkpoint\n");
  expect_says(run(job), Code::kRefused, {"already visible outside", "--rewind-output"});
  EXPECT_EQ(visible(), numbers(job.last));
  EXPECT_TRUE(disk.peek("out/" + pending.text())) << "a start that is refused removes nothing";
  job.may_rewind = true;
  ASSERT_TRUE(run(job));
  expect_once(job, "after the rewind");
  EXPECT_NE(disk.tree("out"), all);
}

}  // namespace
}  // namespace weir::connectors
