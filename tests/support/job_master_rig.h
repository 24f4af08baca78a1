#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/hand_env.h"
#include "weir/base/checksum.h"
#include "weir/ha/api/memory_store.h"
#include "weir/jobmaster/job_master.h"
#include "weir/storage/memory/memory_storage.h"

// For the tests of the JobMaster: tasks that only note what they are told, and nothing happens but
// by hand.
namespace weir::jobmaster {

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
    snapshot.operators.push_back(
        {.id = operator_id_of(execution.vertex.value == 0 ? "n" : "c"),
         .keyed = {},
         .lists = checkpoint::StateHandle(*stream->commit(checksum(Bytes(10))))});
    tell(rpc::CheckpointAcknowledged{id, execution, std::move(snapshot), timings});
  }
  void ack_all(CheckpointId id, bool at_end = false) {
    for (const auto& execution : tasks_.deployed) ack(id, execution, at_end);
  }
  // The input is at its end everywhere; says which checkpoint is complete with all of it.
  CheckpointId start_and_reach_the_end() {
    start();
    tell_all<rpc::TaskRunning>();
    return reach_the_end();
  }
  CheckpointId reach_the_end() {
    tell_all<rpc::TaskAtEnd>();
    ack_all(tasks_.triggered, true);
    run();
    return tasks_.triggered;
  }
  // What another run of the job has left.
  void put_checkpoint_of(JobId job) { vault_->put(job.to_hex() + "/chk-3/_metadata", Bytes(10)); }
  bool has_checkpoint_of(JobId job) { return !vault_->names(job.to_hex()).empty(); }
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

}  // namespace weir::jobmaster
