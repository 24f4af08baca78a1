#include "weir/jobmaster/job_master.h"

#include <set>

#include "tests/support/hand_env.h"
#include "weir/ha/api/memory_store.h"
#include "weir/storage/api/metadata.h"
#include "weir/storage/memory/memory_storage.h"

namespace weir::jobmaster {
namespace {

using Lines = std::vector<std::string>;

// Tasks that do nothing by themselves; what they are told is noted, a line each.
class FakeTasks final : public rpc::TaskGateway {
 public:
  void tell(rpc::ToTasks message) override {
    epochs.insert(message.epoch);
    std::visit([this](auto& m) { note(m); }, message.order);
  }
  Lines take() { return std::exchange(lines_, {}); }

  std::vector<ExecutionId> deployed;
  CheckpointId triggered{};
  std::set<Epoch> epochs;  // of everything it was told

 private:
  void note(rpc::DeployTasks& m) {
    deployed.clear();
    for (const auto& task : m.tasks) deployed.push_back(task.execution);
    lines_.push_back("deploy " + std::to_string(m.attempt.value) +
                     (m.restored ? " from " + std::to_string(m.restored->value) : ""));
  }
  void note(rpc::CancelTasks& m) { lines_.push_back("cancel " + std::to_string(m.attempt.value)); }
  void note(rpc::TriggerCheckpoint& m) {
    triggered = m.barrier.id;
    lines_.push_back("trigger " + std::to_string(m.barrier.id.value) + " at " +
                     std::to_string(m.tasks.size()));
  }
  void note(rpc::CheckpointCompleted& m) {
    lines_.push_back("complete " + std::to_string(m.id.value));
  }
  void note(rpc::CheckpointAborted& m) {
    lines_.push_back("aborted " + std::to_string(m.id.value));
  }

  Lines lines_;
};

// numbers -> count[2], with a store and a storage in memory. Nothing happens but by hand.
class JobMasterTest : public testing::Test {
 protected:
  JobMasterTest() {
    graph::StreamGraph stream{
        .job_name = "job",
        .nodes = {{.name = "numbers", .uid = "n", .is_source = true},
                  {.name = "count", .uid = "c", .parallelism = 2, .is_keyed = true}},
        .edges = {{.from = {0},
                   .to = {1},
                   .partitioning = graph::Partitioning::kHash,
                   .columns = {.hashes = true}}}};
    graph_ = graph::chain(std::move(stream), graph::Chaining::kOn);
  }

  void start(failover::RestartOptions restart = failover::FixedDelayRestart{}) {
    store_ = *ha::MemoryStore::open(runs_, "job", JobId{{1}});
    master_ = std::make_unique<JobMaster>(
        JobMasterParts{.graph = graph_,
                       .job = store_->record().job,
                       .epoch = store_->record().epoch,
                       .checkpoints = {.interval = Duration::seconds(1), .tolerable_failures = 10},
                       .restart = restart,
                       .retained = {},
                       .env = hand_.env,
                       .tasks = tasks_,
                       .storage = &storage_,
                       .store = store_.get(),
                       .metrics = metrics_,
                       .on_end = [this](JobEnd end) {
                         ++ends_;
                         end_ = std::move(end);
                       }});
    master_->start();
    hand_.run();
  }
  // There is a run with a checkpoint, and --restart has begun another one in its place.
  void begin_in_place_of_another() {
    const auto store = *ha::MemoryStore::open(runs_, "job", JobId{{9}});
    EXPECT_TRUE(store->write(ha::ReserveIds{{16}}));
    EXPECT_TRUE(store->write(ha::MovePointer{{{3}, "9/chk-3/_metadata"}, {}}));
    EXPECT_TRUE(store->write(ha::BeginRun{JobId{{1}}}));
  }
  void run() { hand_.run(); }
  void run_after(Duration by) {
    hand_.clock.advance(by);
    hand_.run();
  }

  void tell(rpc::Report report) { master_->tell({store_->record().epoch, std::move(report)}); }
  template <class Message>
  void tell(ExecutionId execution) {
    tell(Message{execution});
  }
  template <class Message>
  void tell_all() {
    for (const auto& execution : tasks_.deployed) tell<Message>(execution);
    run();
  }
  void fail(ExecutionId execution, Code code = Code::kFailed) {
    tell(rpc::TaskFailed{execution, {code, "it broke"}});
    run();
  }
  void ack(CheckpointId id, ExecutionId execution, bool at_end = false,
           const rpc::SnapshotTimings& timings = {}) {
    checkpoint::SubtaskSnapshot snapshot{.operators = {}, .at_end = at_end};
    const auto file =
        "chk-" + std::to_string(id.value) + "/" + std::to_string(execution.vertex.value) +
        std::to_string(execution.subtask.value) + "-" + std::to_string(execution.attempt.value);
    snapshot.schemas = {{.op = operator_id_of(execution.vertex.value == 0 ? "n" : "c"),
                         .state = "numbers",
                         .kind = "list",
                         .key = {},
                         .name_space = {},
                         .value = Bytes(3)}};
    auto stream = *storage_.create(file);
    EXPECT_TRUE(stream->append(Bytes(10)));
    snapshot.operators.push_back({.id = operator_id_of(execution.vertex.value == 0 ? "n" : "c"),
                                  .keyed = {},
                                  .lists = checkpoint::StateHandle(*stream->commit())});
    tell(rpc::CheckpointAcknowledged{id, execution, std::move(snapshot), timings});
  }
  void ack_all(CheckpointId id, bool at_end = false) {
    for (const auto& execution : tasks_.deployed) ack(id, execution, at_end);
  }
  // Everything runs, and one checkpoint is complete.
  CheckpointId complete_one() {
    run_after(Duration::seconds(1));
    const auto id = tasks_.triggered;
    ack_all(id);
    run();
    EXPECT_EQ(tasks_.take().back(), "complete " + std::to_string(id.value));
    return id;
  }

  test::HandEnv hand_;
  graph::JobGraph graph_;
  FakeTasks tasks_;
  metrics::Registry metrics_;
  std::shared_ptr<ha::MemoryRuns> runs_ = std::make_shared<ha::MemoryRuns>();
  std::shared_ptr<storage::MemoryVault> vault_ = std::make_shared<storage::MemoryVault>();
  storage::MemoryStorage storage_{vault_, "run"};
  std::unique_ptr<ha::Store> store_;
  std::unique_ptr<JobMaster> master_;
  int ends_ = 0;
  std::optional<JobEnd> end_;
};

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

TEST_F(JobMasterTest, FinishesWhenTheFinalCheckpointIsThereAndRecordsTheResultBeforeItDeletes) {
  start();
  tell_all<rpc::TaskRunning>();
  tell_all<rpc::TaskAtEnd>();
  const auto id = tasks_.triggered;
  ack_all(id, true);
  run();
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
  start();
  tell_all<rpc::TaskRunning>();
  tell_all<rpc::TaskAtEnd>();
  const auto id = tasks_.triggered;
  ack_all(id, true);
  run();
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
  start();
  tell_all<rpc::TaskRunning>();
  tell_all<rpc::TaskAtEnd>();
  ack_all(tasks_.triggered, true);
  run();
  runs_->twist_next_write({.fate = Fate::kAbsent});
  tell_all<rpc::TaskFinished>();
  master_->suspend();
  run();
  ASSERT_EQ(ends_, 1);
  EXPECT_EQ(end_->kind, JobEnd::Kind::kSuspended);
  EXPECT_TRUE(runs_->record("job")->newest);
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
