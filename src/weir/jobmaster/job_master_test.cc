#include "tests/support/job_master_rig.h"
#include "tests/support/kept_log.h"
#include "weir/base/log.h"

namespace weir::jobmaster {
namespace {

TEST_F(JobMasterTest, DeploysTriggersPublishesAndTellsEveryone) {
  start();
  EXPECT_EQ(tasks_.take(), Lines{"deploy 1"});
  ASSERT_EQ(tasks_.deployed.size(), 3u);
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  const auto id = tasks_.triggered;
  EXPECT_EQ(tasks_.take(), Lines{"trigger " + std::to_string(id.value) + " at 1"});
  ack_all(id);
  run();
  EXPECT_EQ(tasks_.take(), Lines{"complete " + std::to_string(id.value)});
  EXPECT_EQ(runs_->record("job")->newest->id, id);
  EXPECT_TRUE(storage_.read_metadata(id));
}

TEST_F(JobMasterTest, AFailureCancelsEverythingAndRestartsFromTheNewestCheckpoint) {
  start();
  tell_all<rpc::TaskRunning>();
  const auto id = complete_one();
  fail(tasks_.deployed[1]);
  EXPECT_EQ(tasks_.take(), Lines{"cancel 1"});
  tell<rpc::TaskCancelled>(tasks_.deployed[0]);
  tell<rpc::TaskCancelled>(tasks_.deployed[1]);
  run_after(Duration::seconds(100));
  EXPECT_TRUE(tasks_.take().empty());
  tell<rpc::TaskCancelled>(tasks_.deployed[2]);
  run_after(Duration::seconds(100));
  EXPECT_EQ(tasks_.take(), Lines{"deploy 2 from " + std::to_string(id.value)});
  EXPECT_EQ(ends_, 0);
}

TEST_F(JobMasterTest, FailingOverWaitsForThePublicationThatIsOutAndRestoresIt) {
  start();
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  const auto id = tasks_.triggered;
  ack_all(id);
  hand_.executor.run();  // The publication has been submitted.
  tell(rpc::TaskFailed{tasks_.deployed[0], {Code::kFailed, "it broke"}});
  for (const auto& execution : tasks_.deployed) tell<rpc::TaskCancelled>(execution);
  tasks_.take();
  hand_.executor.run();
  hand_.clock.advance(Duration::seconds(100));
  hand_.executor.run();
  EXPECT_EQ(tasks_.take(), Lines{"cancel 1"});
  run();
  EXPECT_EQ(tasks_.take(), (Lines{"complete " + std::to_string(id.value),
                                  "deploy 2 from " + std::to_string(id.value)}));
}

TEST_F(JobMasterTest, AnErrorThatIsForGoodBypassesTheRestartStrategy) {
  start();
  tell_all<rpc::TaskRunning>();
  fail(tasks_.deployed[0], Code::kCorrupt);
  tell_all<rpc::TaskCancelled>();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kFailed);
  EXPECT_EQ(end_->error->code, Code::kCorrupt);
  EXPECT_NE(end_->error->what.find("it broke"), std::string::npos);
}

TEST_F(JobMasterTest, ARunThatNeverGetsToRunLeavesTheEarlierOneAsItWas) {
  begin_in_place_of_another();
  start();
  tell<rpc::TaskRunning>(tasks_.deployed[0]);
  fail(tasks_.deployed[1], Code::kInvalid);
  tell_all<rpc::TaskCancelled>();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kFailed);
  EXPECT_EQ(end_->error->to_string(),
            "invalid: it broke; the earlier run of the job is kept: without --restart it goes on "
            "with that one");
  EXPECT_EQ(runs_->record("job")->job, (JobId{{9}}));
  EXPECT_EQ(runs_->record("job")->newest->id, CheckpointId{3});
}

TEST_F(JobMasterTest, ARunWhoseTasksAllRunHasTakenTheEarlierOnesPlace) {
  begin_in_place_of_another();
  start();
  tell_all<rpc::TaskRunning>();
  EXPECT_EQ(runs_->record("job")->job, (JobId{{1}}));
  EXPECT_EQ(runs_->record("job")->earlier, std::nullopt);
  fail(tasks_.deployed[1], Code::kInvalid);
  tell_all<rpc::TaskCancelled>();
  EXPECT_EQ(end_->error->to_string(), "invalid: it broke");
  EXPECT_EQ(runs_->record("job")->job, (JobId{{1}}));
}

// ---- Checkpoints of runs that the record does not name ----

TEST_F(JobMasterTest, TheEarlierRunsCheckpointsGoWhenAllTasksRunAndNotBefore) {
  begin_in_place_of_another();
  put_checkpoint_of(JobId{{9}});
  put_checkpoint_of(JobId{{8}});
  start();
  tell<rpc::TaskRunning>(tasks_.deployed[0]);
  tell<rpc::TaskRunning>(tasks_.deployed[1]);
  run();
  EXPECT_TRUE(has_checkpoint_of(JobId{{9}}));
  EXPECT_TRUE(has_checkpoint_of(JobId{{8}}));
  tell<rpc::TaskRunning>(tasks_.deployed[2]);
  run();
  EXPECT_FALSE(has_checkpoint_of(JobId{{9}}));
  EXPECT_FALSE(has_checkpoint_of(JobId{{8}})) << "begun anew in between, and killed";
}

TEST_F(JobMasterTest, TheEarlierRunsCheckpointsStayWhileTheRecordNamesIt) {
  begin_in_place_of_another();
  put_checkpoint_of(JobId{{9}});
  start();
  runs_->twist_next_write({Fate::kAbsent});
  tell_all<rpc::TaskRunning>();
  EXPECT_EQ(runs_->record("job")->earlier->job, (JobId{{9}}));
  EXPECT_TRUE(has_checkpoint_of(JobId{{9}}));
}

TEST_F(JobMasterTest, ARunThatAnotherProcessHasTakenOverEndsWhereItWouldSettle) {
  begin_in_place_of_another();
  put_checkpoint_of(JobId{{9}});
  start();
  runs_->twist_next_write({.fate = Fate::kAbsent, .code = Code::kRefused});
  tell_all<rpc::TaskRunning>();
  tell_all<rpc::TaskCancelled>();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->error->code, Code::kRefused);
  EXPECT_NE(end_->error->what.find("settling the run"), std::string::npos) << end_->error->what;
  EXPECT_TRUE(has_checkpoint_of(JobId{{9}}));
}

TEST_F(JobMasterTest, ARunThatIsAbandonedLeavesTheEarlierOnesCheckpoints) {
  begin_in_place_of_another();
  put_checkpoint_of(JobId{{9}});
  start();
  fail(tasks_.deployed[1], Code::kInvalid);
  tell_all<rpc::TaskCancelled>();
  ASSERT_EQ(ends_, 1);
  EXPECT_TRUE(has_checkpoint_of(JobId{{9}}));
}

TEST_F(JobMasterTest, OtherRunsCheckpointsAreLookedForOnceInAProcessAndWhenTheJobFinishes) {
  start();
  tell_all<rpc::TaskRunning>();
  put_checkpoint_of(JobId{{8}});
  fail(tasks_.deployed[0]);
  tell_all<rpc::TaskCancelled>();
  run_after(Duration::seconds(100));
  tell_all<rpc::TaskRunning>();
  EXPECT_TRUE(has_checkpoint_of(JobId{{8}}));
  run_after(Duration::seconds(1));
  reach_the_end();
  tell_all<rpc::TaskFinished>();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kFinished);
  EXPECT_FALSE(has_checkpoint_of(JobId{{8}}));
}

TEST_F(JobMasterTest, WhereTheEarlierRunCannotBeWrittenBackItStaysAndNothingIsPromised) {
  begin_in_place_of_another();
  start();
  runs_->twist_next_write({Fate::kAbsent});
  fail(tasks_.deployed[1], Code::kInvalid);
  tell_all<rpc::TaskCancelled>();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->error->to_string(), "invalid: it broke");
  EXPECT_EQ(runs_->record("job")->earlier->job, (JobId{{9}}));
}

TEST_F(JobMasterTest, LateMessagesOfADeadAttemptChangeNothing) {
  start();
  tell_all<rpc::TaskRunning>();
  const auto dead = tasks_.deployed;
  run_after(Duration::seconds(1));
  const auto id = tasks_.triggered;
  ack(id, dead[0]);
  fail(dead[1]);
  tell_all<rpc::TaskCancelled>();
  run_after(Duration::seconds(100));
  tasks_.take();
  const auto alive = tasks_.deployed;
  EXPECT_EQ(alive[0].attempt, AttemptId{2});
  tell_all<rpc::TaskRunning>();
  for (const auto& execution : dead) {
    fail(execution);
    tell<rpc::TaskFinished>(execution);
    tell<rpc::TaskCancelled>(execution);
    tell<rpc::TaskAtEnd>(execution);
    ack(id, execution == dead[0] ? ExecutionId{{5}, {0}, {1}} : execution);
  }
  run();
  EXPECT_TRUE(tasks_.take().empty());
  EXPECT_EQ(ends_, 0);
  // What they wrote for the checkpoint that was aborted goes.
  EXPECT_TRUE(vault_->names("run/chk-" + std::to_string(id.value)).empty());
  complete_one();
}

TEST_F(JobMasterTest, MessagesOfAnotherEpochChangeNothing) {
  start();
  const auto epoch = store_->record().epoch;
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  tasks_.take();
  for (const auto other : {Epoch{epoch.value - 1}, Epoch{epoch.value + 1}}) {
    master_->tell({other, rpc::CheckpointDeclined{tasks_.triggered, tasks_.deployed[0],
                                                  checkpoint::FailureReason::kDeclined, "no"}});
    for (const auto& execution : tasks_.deployed) {
      master_->tell({other, rpc::TaskFailed{execution, {Code::kCorrupt, "it broke"}}});
      master_->tell({other, rpc::TaskFinished{execution}});
      master_->tell({other, rpc::CheckpointAcknowledged{tasks_.triggered, execution, {}, {}}});
    }
    run();
  }
  EXPECT_TRUE(tasks_.take().empty());
  EXPECT_EQ(ends_, 0);
  ack_all(tasks_.triggered);
  run();
  EXPECT_EQ(tasks_.take(), Lines{"complete " + std::to_string(tasks_.triggered.value)});
  EXPECT_EQ(tasks_.epochs, std::set{epoch});
}

TEST_F(JobMasterTest, SuspendingKeepsTheNewestCheckpointAndEndsWhenAllIsStill) {
  start();
  tell_all<rpc::TaskRunning>();
  const auto id = complete_one();
  master_->suspend();
  run();
  EXPECT_EQ(tasks_.take(), Lines{"cancel 1"});
  EXPECT_EQ(ends_, 0);
  tell_all<rpc::TaskCancelled>();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kSuspended);
  EXPECT_EQ(runs_->record("job")->newest->id, id);
  EXPECT_TRUE(storage_.read_metadata(id));
}

TEST_F(JobMasterTest, AFailureThatNothingFollowsIsAWarning) {
  for (const auto verb : {&JobMaster::suspend, &JobMaster::cancel}) {
    start();
    tell_all<rpc::TaskRunning>();
    (*master_.*verb)();
    run();
    test::KeptLog log(log::Level::kWarning);
    fail(tasks_.deployed[2]);
    EXPECT_EQ(log.take(), Lines{"FailedWhileStopping task=count[1] error=\"failed: it broke\""});
    tell_all<rpc::TaskCancelled>();
    EXPECT_TRUE(log.take().empty());
    master_.reset();
    store_.reset();
  }
  EXPECT_EQ(ends_, 2);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kCancelled);
}

TEST_F(JobMasterTest, AFailureIsToldOnceAndWhatFollowsFromItIsNot) {
  start();
  tell_all<rpc::TaskRunning>();
  test::KeptLog log(log::Level::kWarning);
  fail(tasks_.deployed[0]);
  EXPECT_EQ(log.take(), Lines{"Stopping attempt=1 cause=\"failed: it broke\""});
  fail(tasks_.deployed[1]);
  master_->suspend();
  fail(tasks_.deployed[2]);
  tell_all<rpc::TaskCancelled>();
  EXPECT_TRUE(log.take().empty());
  EXPECT_EQ(end_->kind, JobEnd::Kind::kSuspended);
}

TEST_F(JobMasterTest, FinishesWhenTheFinalCheckpointIsThereAndRecordsTheResultBeforeItDeletes) {
  const auto id = start_and_reach_the_end();
  EXPECT_EQ(tasks_.take().back(), "complete " + std::to_string(id.value));
  for (const auto& execution : tasks_.deployed) tell<rpc::TaskFinished>(execution);
  hand_.executor.run();
  EXPECT_FALSE(runs_->record("job")->result);
  EXPECT_TRUE(storage_.read_metadata(id));
  run();
  EXPECT_TRUE(runs_->record("job")->result);
  EXPECT_TRUE(vault_->names("run/").empty());
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kFinished);
}

TEST_F(JobMasterTest, AResultThatCouldNotBeWrittenIsWrittenAgainAndNothingIsDeletedBefore) {
  const auto id = start_and_reach_the_end();
  runs_->twist_next_write({.fate = Fate::kAbsent});
  tell_all<rpc::TaskFinished>();
  EXPECT_EQ(ends_, 0);
  EXPECT_TRUE(storage_.read_metadata(id));
  run_after(Duration::seconds(1));
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kFinished);
  EXPECT_TRUE(runs_->record("job")->result);
}

TEST_F(JobMasterTest, SuspendingEndsTheWaitForADiskThatTakesNoResult) {
  start_and_reach_the_end();
  runs_->twist_next_write({.fate = Fate::kAbsent});
  tell_all<rpc::TaskFinished>();
  master_->suspend();
  run();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kSuspended);
  EXPECT_TRUE(runs_->record("job")->newest);
}

}  // namespace
}  // namespace weir::jobmaster
