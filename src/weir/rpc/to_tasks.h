#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "weir/base/checkpoint_barrier.h"
#include "weir/base/id.h"
#include "weir/protocol/checkpoint/state_handle.h"

namespace weir::rpc {

// What an operator of one Subtask is to restore.
struct OperatorRestore {
  OperatorId id;
  // The keyed state whose KeyGroups overlap the Subtask's: it takes what is its own.
  std::vector<checkpoint::KeyedStateHandle> keyed;
  // The list state of every Subtask that the operator had, in their order: it takes its share.
  std::vector<checkpoint::StateHandle> lists;
};

// One Subtask to be started. What it runs is known from the job's plan.
struct TaskDeployment {
  ExecutionId execution;
  // It was FINISHED in the checkpoint: it only tells its consumers so.
  bool was_finished = false;
  std::vector<OperatorRestore> operators;  // in the order of the chain; empty without a checkpoint
};

// All Subtasks of an attempt on one TaskManager.
struct DeployTasks {
  AttemptId attempt;
  std::optional<CheckpointId> restored;
  std::vector<TaskDeployment> tasks;
};

// Every Subtask of the attempt is to end without finishing its work.
struct CancelTasks {
  AttemptId attempt;
};

struct TriggerCheckpoint {
  AttemptId attempt;
  CheckpointBarrier barrier;
  std::vector<ExecutionId> tasks;  // where the barrier begins
};

// The checkpoint is complete: recovery will find it.
struct CheckpointCompleted {
  AttemptId attempt;
  CheckpointId id;
  std::optional<CheckpointId> last_subsumed;
};

// The checkpoint will not be; `latest_complete` makes up for a completion that was not heard of.
struct CheckpointAborted {
  AttemptId attempt;
  CheckpointId id;
  std::optional<CheckpointId> latest_complete;
};

using Order = std::variant<DeployTasks, CancelTasks, TriggerCheckpoint, CheckpointCompleted,
                           CheckpointAborted>;

// What a JobMaster orders, with the fencing epoch under which it leads.
struct ToTasks {
  Epoch epoch;
  Order order;
};

// Where the JobMaster's messages go. One of another epoch than the tasks' is dropped: its sender
// leads no more, or does not lead these tasks.
//
//   Thread  any; a message is taken in the order in which it was told
class TaskGateway {
 public:
  virtual ~TaskGateway() = default;
  virtual void tell(ToTasks message) = 0;
};

}  // namespace weir::rpc
