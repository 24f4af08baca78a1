#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weir/rpc/to_job_master.h"
#include "weir/rpc/to_tasks.h"
#include "weir/task/letters.h"
#include "weir/task/task_manager_parts.h"
#include "weir/task/watched_tasks.h"

namespace weir::task {

struct Attempt;

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
