#pragma once

#include <utility>
#include <variant>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/base/time.h"
#include "weir/protocol/checkpoint/failure_reason.h"
#include "weir/protocol/checkpoint/state_handle.h"

namespace weir::rpc {

// The Subtask has restored its state and runs.
struct TaskRunning {
  ExecutionId execution;
};
// It has consumed everything and waits for its final checkpoint.
struct TaskAtEnd {
  ExecutionId execution;
};
// It has ended well.
struct TaskFinished {
  ExecutionId execution;
};
// It met an error and stands still until it is cancelled.
struct TaskFailed {
  ExecutionId execution;
  Error error;
};
// It has ended, because it was cancelled; nothing of it runs any more, its I/O included.
struct TaskCancelled {
  ExecutionId execution;
};

// How long the parts of a Subtask's checkpoint took.
struct SnapshotTimings {
  Duration alignment;  // from the first barrier to the last
  Duration cut;        // the part in which no record was processed
  Duration upload;     // from the cut until everything was durable
  std::uint64_t bytes = 0;
};

struct CheckpointAcknowledged {
  CheckpointId id;
  ExecutionId execution;
  checkpoint::SubtaskSnapshot snapshot;
  SnapshotTimings timings;
};

struct CheckpointDeclined {
  CheckpointId id;
  ExecutionId execution;
  checkpoint::FailureReason reason;
  std::string detail;
};

using Report = std::variant<TaskRunning, TaskAtEnd, TaskFinished, TaskFailed, TaskCancelled,
                            CheckpointAcknowledged, CheckpointDeclined>;

// What a task tells, with the fencing epoch that it was deployed under.
struct ToJobMaster {
  Epoch epoch;
  Report report;
};

// Where the tasks' messages go. One of another epoch than the JobMaster's is dropped: whoever sent
// it was deployed by another process and knows nothing of this one's attempts.
//
//   Thread  any; a task's messages are taken in its order
class JobMasterGateway {
 public:
  virtual ~JobMasterGateway() = default;
  virtual void tell(ToJobMaster message) = 0;
};

// A task's side of the gateway: says under which epoch the task was deployed with everything that
// it tells.
//
//   Thread  any
class TaskReports {
 public:
  TaskReports(Epoch epoch, JobMasterGateway& job_master) : epoch_(epoch), job_master_(job_master) {}

  void tell(Report report) const { job_master_.tell({epoch_, std::move(report)}); }

 private:
  const Epoch epoch_;
  JobMasterGateway& job_master_;
};

}  // namespace weir::rpc
