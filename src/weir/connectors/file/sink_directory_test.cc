#include "weir/connectors/file/sink_directory.h"

#include "tests/support/sink_job.h"
#include "weir/connectors/file/part_names.h"

namespace weir::connectors {
namespace {

class SinkDirectoryTest : public SinkTest {};

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

// Somebody else's output lies where the resumed run has written: to remove it would not bring this one's back.
TEST_F(SinkDirectoryTest, ARunThatResumesTakesItsDirectoryFromNobodyWhateverItMay) {
  Job first;
  {
    test::FaultyFiles files(disk);
    Attempt attempt(first, files, 2);
    write_a_line(attempt);
  }
  Job second{.job = {{2}}, .last = 7, .may_overwrite = true};
  ASSERT_TRUE(run(second));
  const auto before = disk.tree("out");
  for (const bool may_overwrite : {false, true}) {
    first.may_overwrite = may_overwrite;
    expect_says(run(first), Code::kInvalid,
                {"opening output directory out for sink out", "belongs to sink out",
                 "job " + second.job.to_hex(), "resumes", "the directory that it wrote to before",
                 "--restart"});
    EXPECT_EQ(disk.tree("out"), before);
  }
  EXPECT_EQ(visible(), numbers(second.last));
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

// The guide: where nothing waits to be made visible, the run goes on in the new directory after a warning.
TEST_F(SinkDirectoryTest, ARunOfWhichNothingWaitsGoesOnInAnotherDirectoryAfterAWarning) {
  Job job{.directory = "before"};
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 1);
    write_a_line(attempt);
    ASSERT_TRUE(attempt.checkpoint());  // The one before is made visible by now, so nothing waits.
  }
  job.directory = "after";
  {
    test::KeptLog log;
    ASSERT_TRUE(run(job, 1));
    expect_logged_once(log, "OutputDirectoryIsEmpty",
                       {"sink=out[0]", "directory=after", "restored=2", "--restart"});
  }
  EXPECT_EQ(visible("before"), numbers(1));
  auto rest = numbers(job.last);
  rest.erase("number 1");
  EXPECT_EQ(visible("after"), rest);
  test::KeptLog log;
  ASSERT_TRUE(run(job, 1));
  EXPECT_EQ(log.take("OutputDirectoryIsEmpty"), Strings{}) << "it is not empty any more";
}

TEST_F(SinkDirectoryTest, ANewRunInAnEmptyDirectoryIsNoReasonToWarn) {
  Job job;
  test::KeptLog log;
  ASSERT_TRUE(run(job));
  EXPECT_EQ(log.take("Output"), Strings{});
}

TEST_F(SinkDirectoryTest, ADirectoryStillBeingTakenOverGetsNoVisiblePart) {
  Job old;
  ASSERT_TRUE(run(old));
  test::StepEnv world(disk);
  const StagedName staged{
      .job = {{2}}, .sink = old.sink, .subtask = {1}, .epoch = {1}, .attempt = {1}, .after = {0}};
  put("out/" + staged.text(), "line\n");
  SinkContext without_checkpoints{.subtask = {1}, .env = &world.env()};
  SinkContext resumed{
      .subtask = {1}, .restored = CheckpointId{1}, .has_checkpoints = true, .env = &world.env()};
  for (auto* context : {&without_checkpoints, &resumed}) {
    PartCommitter committer("out", *context);
    const auto outcome = committer.commit(
        {{.checkpoint = {1}, .subtask = {1}, .job = staged.job, .what = staged.text()}});
    EXPECT_EQ(outcome.committed, 0u);
    expect_says(outcome.status, Code::kUnavailable, {"still belongs to job " + old.job.to_hex()});
    context->subtask = {0};  // It has taken it over itself.
    expect_says(PartCommitter("out", *context)
                    .commit({{.checkpoint = {1}, .job = staged.job, .what = staged.text()}})
                    .status,
                Code::kInvalid, {"belongs to job " + old.job.to_hex() + " now"});
  }
}

// Of a batch the newest tells: it may hold what waited since the restore.
TEST_F(SinkDirectoryTest, ADirectoryTakenFromARunThatWentOnIsNotWaitedFor) {
  Job other;
  ASSERT_TRUE(run(other));
  test::StepEnv world(disk);
  PartCommitter committer(
      "out",
      {.subtask = {1}, .restored = CheckpointId{1}, .has_checkpoints = true, .env = &world.env()});
  const auto of = [](std::uint64_t checkpoint) {
    return commit::Committable{.checkpoint = {checkpoint}, .subtask = {1}, .job = {{2}}};
  };
  expect_says(committer.commit({of(1)}).status, Code::kUnavailable, {"still belongs to job"});
  expect_says(committer.commit({of(1), of(2)}).status, Code::kInvalid, {"belongs to job", "now"});
}

// Whoever removes the lock file by hand lets another run in.
TEST_F(SinkDirectoryTest, ADirectoryThatAnotherJobHasTakenGetsNoVisiblePartAnyMore) {
  Job running;
  test::FaultyFiles files(disk);
  Attempt attempt(running, files, 2);
  write_a_line(attempt);
  ASSERT_TRUE(attempt.write(attempt.next()));
  ASSERT_TRUE(disk.remove("out/.weir-sink-lock"));
  Job other{.job = {{2}}, .last = 7, .may_overwrite = true};
  ASSERT_TRUE(run(other));
  expect_says(attempt.checkpoint(), Code::kInvalid,
              {"directory out", "belongs to job " + other.job.to_hex() + " now", "--restart"});
  EXPECT_EQ(visible(), numbers(other.last));
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
