#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "weir/memory/page_source.h"
#include "weir/memory/staging_pool.h"
#include "weir/operators/api/program.h"
#include "weir/rpc/to_tasks.h"
#include "weir/task/subtask.h"
#include "weir/task/watched_tasks.h"

namespace weir::task {

// The named limits of a TaskManager.
struct TaskLimits {
  exchange::GateLimits gate;
  std::uint32_t batch_records = stream::kBatchRecords;  // exchange.batch-records
  std::uint32_t moves_per_step = 8;  // what a Subtask does before another gets its turn
  std::uint64_t overflow_bytes_max = std::uint64_t{64}
                                     << 20;  // task.overflow-bytes-max, per operator
  std::uint64_t heap_bytes_max = std::uint64_t{8}
                                 << 30;  // state.heap_bytes_max, per keyed operator and Subtask
  std::uint64_t entry_bytes_max = std::uint64_t{64} << 20;  // state.entry_bytes_max
};

// What a TaskManager is built over. References outlive it.
struct TaskManagerParts {
  const operators::Program& program;
  JobId job;
  Epoch epoch;
  TaskLimits limits;
  env::Env& env;
  storage::CheckpointStorage* storage = nullptr;  // null without checkpoints
  state::StateBackend& backend;
  memory::PageSource& pages;
  memory::StagingPool& staging;
  metrics::Registry& metrics;
  const config::Configuration& options;
};

// Runs the Subtasks of one job in this process: builds them with their channels, hands them to the
// executor, passes messages on.
//
//   Thread  the JobMaster's, but for what says otherwise
//   Source  Flink: TaskExecutor
class TaskManager final : public rpc::TaskGateway, public WatchedTasks {
 public:
  explicit TaskManager(TaskManagerParts parts);
  ~TaskManager() override;

  // Where the tasks' messages go; before the first deployment.
  void connect(rpc::JobMasterGateway& job_master) { job_master_ = &job_master; }

  // A deployment replaces the attempt before it, whose tasks must all have said that they ended.
  // One that cannot be built, because copying a user's function throws, fails like a task.
  void tell(rpc::ToTasks message) override;

  std::vector<std::string> describe() const override;
  Pulse pulse() const override;

 private:
  struct Attempt;

  void on(rpc::DeployTasks& message);
  void on(rpc::CancelTasks& message);
  void on(rpc::TriggerCheckpoint& message);
  void on(rpc::CheckpointCompleted& message);
  void on(rpc::CheckpointAborted& message);
  void tell_all(const Letter& letter, AttemptId attempt);
  std::unique_ptr<Attempt> exchange_attempt(std::unique_ptr<Attempt> next);

  TaskManagerParts parts_;
  rpc::JobMasterGateway* job_master_ = nullptr;
  std::vector<ExecutionId>
      unbuilt_;          // of an attempt that could not be built; they end when told to
  mutable Mutex mutex_;  // for describe() and pulse(), against a deployment
  std::unique_ptr<Attempt> attempt_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::task
