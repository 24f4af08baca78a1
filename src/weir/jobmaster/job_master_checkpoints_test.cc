#include "tests/support/job_master_rig.h"
#include "weir/storage/api/metadata.h"

// Checkpoints as the JobMaster carries them between coordinator, storage, store and tasks.
namespace weir::jobmaster {
namespace {

TEST_F(JobMasterTest, WritesTheSchemaOfEachStateOnce) {
  start();
  tell_all<rpc::TaskRunning>();
  const auto id = complete_one();
  const auto metadata = storage::decode_metadata(*storage_.read_metadata(id), "_metadata");
  ASSERT_TRUE(metadata);
  const auto& schemas = metadata->checkpoint.schemas;
  ASSERT_EQ(schemas.size(), 2u) << "two Subtasks of count speak of one state";
  EXPECT_LT(schemas[0].op, schemas[1].op);
  EXPECT_EQ(schemas[0].state, "numbers");
  EXPECT_EQ(schemas[0].value, Bytes(3));
}

TEST_F(JobMasterTest, NobodyHearsOfACheckpointBeforeItIsDurable) {
  start();
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  ack_all(tasks_.triggered);
  tasks_.take();
  hand_.executor.run();
  EXPECT_TRUE(tasks_.take().empty());
  run();
  EXPECT_EQ(tasks_.take().size(), 1u);
}

TEST_F(JobMasterTest, AFailedSyncOfThePointerStopsIt) {
  start();
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  runs_->twist_next_write({.fate = Fate::kSyncFailed, .is_done = true});
  ack_all(tasks_.triggered);
  run();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kStopped);
  EXPECT_NE(end_->error->what.find("syncing failed"), std::string::npos);
}

TEST_F(JobMasterTest, AnUnknownFateIsReadBackAndThePointerWasMoved) {
  start();
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  tasks_.take();
  runs_->twist_next_write({.fate = Fate::kUnknown, .is_done = true});
  ack_all(tasks_.triggered);
  run();
  EXPECT_EQ(tasks_.take(), Lines{"complete " + std::to_string(tasks_.triggered.value)});
}

TEST_F(JobMasterTest, AnUnknownFateIsReadBackAndThePointerWasNotMoved) {
  start();
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  tasks_.take();
  runs_->twist_next_write({.fate = Fate::kUnknown, .is_done = false});
  ack_all(tasks_.triggered);
  run();
  EXPECT_EQ(tasks_.take(), Lines{"aborted " + std::to_string(tasks_.triggered.value)});
  EXPECT_TRUE(vault_->names("run/").empty());
}

TEST_F(JobMasterTest, ACheckpointAskedForByHandAnswersWithItsId) {
  start();
  tell_all<rpc::TaskRunning>();
  std::optional<Result<CheckpointId>> answer;
  master_->trigger_checkpoint([&](Result<CheckpointId> result) { answer = std::move(result); });
  run();
  const auto id = tasks_.triggered;
  EXPECT_FALSE(answer);
  ack_all(id);
  run();
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(**answer, id);
}

TEST_F(JobMasterTest, ACheckpointAskedForByHandIsAnsweredWhenTheJobEndsFirst) {
  start();
  tell_all<rpc::TaskRunning>();
  std::optional<Result<CheckpointId>> answer;
  master_->trigger_checkpoint([&](Result<CheckpointId> result) {
    EXPECT_EQ(ends_, 0) << "or whoever asked may be gone";
    answer = std::move(result);
  });
  run();
  // Its publication is stopped by the disk: the coordinator will never say what became of it.
  runs_->twist_next_write({.fate = Fate::kSyncFailed, .is_done = true});
  ack_all(tasks_.triggered);
  run();
  ASSERT_EQ(ends_, 1);
  ASSERT_TRUE(answer);
  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().code, Code::kCancelled);
  EXPECT_NE(answer->error().what.find(": stopped"), std::string::npos);
}

TEST_F(JobMasterTest, OfACheckpointTheLongestTimesOfAnyTaskAreShown) {
  start();
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  for (std::size_t i = 0; i != 3; ++i)
    ack(tasks_.triggered, tasks_.deployed[i], false,
        {.alignment = Duration::micros(i == 0 ? 7 : 1),
         .cut = Duration::micros(i == 1 ? 8 : 2),
         .upload = Duration::micros(i == 2 ? 9 : 3),
         .bytes = 10});
  hand_.clock.advance(Duration::millis(1));
  run();
  EXPECT_EQ(metrics_.metric("checkpoint.last_id").value(), tasks_.triggered.value);
  EXPECT_EQ(metrics_.metric("checkpoint.last_alignment_us").value(), 7u);
  EXPECT_EQ(metrics_.metric("checkpoint.last_cut_us").value(), 8u);
  EXPECT_EQ(metrics_.metric("checkpoint.last_upload_us").value(), 9u);
  EXPECT_EQ(metrics_.metric("checkpoint.last_duration_us").value(), 1000u);
  EXPECT_EQ(metrics_.metric("checkpoint.last_bytes").value(), 30u);
}

TEST_F(JobMasterTest, ADeclinedCheckpointIsAbortedAndTheNextOneTakesItsPlace) {
  start();
  tell_all<rpc::TaskRunning>();
  run_after(Duration::seconds(1));
  const auto id = tasks_.triggered;
  ack(id, tasks_.deployed[0]);
  tasks_.take();
  tell(rpc::CheckpointDeclined{id, tasks_.deployed[1], checkpoint::FailureReason::kDeclined, "no"});
  run();
  EXPECT_EQ(tasks_.take(), Lines{"aborted " + std::to_string(id.value)});
  EXPECT_TRUE(vault_->names("run/").empty());
  EXPECT_GT(complete_one(), id);
}

}  // namespace
}  // namespace weir::jobmaster
