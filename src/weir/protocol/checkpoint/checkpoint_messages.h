#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weir/base/checkpoint_barrier.h"
#include "weir/base/fate.h"
#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/base/time.h"
#include "weir/protocol/checkpoint/completed_checkpoint.h"
#include "weir/protocol/checkpoint/failure_reason.h"
#include "weir/protocol/checkpoint/pending_checkpoint.h"
#include "weir/protocol/checkpoint/state_handle.h"

// What the CheckpointCoordinator is told, and what it asks for. Every input carries the time.
namespace weir::checkpoint {

// ---- What can happen ----

// The process has taken over the job and deploys its first attempt.
struct Started {
  AttemptId attempt;
  std::optional<CheckpointId> restored;  // what the attempt is restored from
  CheckpointId reserved_up_to;           // the durable bound of ids that may have been used
  CheckpointId newest_seen;  // the highest id met anywhere else, such as outside markers
  std::vector<CompletedCheckpoint> retained;
  WallTime wall;
  Instant now;
};
struct TimerFired {
  Instant now;
};
// Somebody asks for a checkpoint; the answer comes as AnswerManual, once.
struct ManualTrigger {
  RequestId request;
  Instant now;
};
struct TaskRunning {
  ExecutionId execution;
  Instant now;
};
// The Subtask has consumed everything and waits for a completed checkpoint to finish with.
struct ReachedEnd {
  ExecutionId execution;
  Instant now;
};
struct TaskFinished {
  ExecutionId execution;
  Instant now;
};
struct Acked {
  CheckpointId id;
  ExecutionId execution;
  SubtaskSnapshot snapshot;
  Instant now;
};
struct Declined {
  CheckpointId id;
  ExecutionId execution;
  FailureReason reason = FailureReason::kDeclined;
  std::string detail;
  Instant now;
};
// The fate of ReserveIds: the bound is durable, or an error.
struct IdsReserved {
  CheckpointId up_to;
  Status status;
  Instant now;
};
// Of the pointer: durable where it names the checkpoint.
using weir::Fate;
struct Published {
  CheckpointId id;
  Fate fate = Fate::kUnknown;
  std::string detail;
  Instant now;
};
// The fate of ReadBack; kSyncFailed cannot be its answer.
struct ReadBackDone {
  CheckpointId id;
  Fate fate = Fate::kUnknown;
  std::string detail;
  Instant now;
};
// One Discard has been carried out, well or badly.
struct Discarded {
  CheckpointId id;
  Instant now;
};
// The attempt is over: it fails over, is suspended or cancelled.
struct Stopped {
  Instant now;
};
// The next attempt is deployed in this process. Legal only after Settled.
struct Restarted {
  AttemptId attempt;
  Instant now;
};
using Input =
    std::variant<Started, TimerFired, ManualTrigger, TaskRunning, ReachedEnd, TaskFinished, Acked,
                 Declined, IdsReserved, Published, ReadBackDone, Discarded, Stopped, Restarted>;

// ---- What the world is asked to do, in this order ----

// Make it durable that ids up to here may have been used; answered by IdsReserved.
struct ReserveIds {
  CheckpointId up_to;
};
// Tell these Subtasks to snapshot and to put the barrier into their outputs.
struct Trigger {
  CheckpointBarrier barrier;
  std::vector<ExecutionId> tasks;
};
// Write _metadata and move the pointer; answered by Published.
struct Publish {
  CompletedCheckpoint checkpoint;
};
// Find out whether the pointer names it; answered by ReadBackDone.
struct ReadBack {
  CheckpointId id;
};
// Tell every Subtask. It is durable; what is at or below `last_subsumed` is gone.
struct NotifyComplete {
  CheckpointId id;
  std::optional<CheckpointId> last_subsumed;
};
// Tell every Subtask. `latest_complete` makes up for a NotifyComplete that was lost.
struct NotifyAborted {
  CheckpointId id;
  std::optional<CheckpointId> latest_complete;
  FailureReason reason = FailureReason::kDeclined;
  std::string detail;
};
// Delete what is named, and nothing else; answered by Discarded. A Subtask deletes by itself what
// it wrote for an aborted checkpoint and did not acknowledge.
struct Discard {
  enum class What : std::uint8_t {
    kCompleted,  // _metadata first, then the files, then the directory
    kAborted,    // files, a _metadata that no pointer names, then the directory if it is empty
    kLate,       // the files of an acknowledgement that came too late
  };
  CheckpointId id;
  What what = What::kAborted;
  std::vector<FileHandle> files;
};
// Send TimerFired then, or at any earlier time. Replaces every earlier WakeAt.
struct WakeAt {
  Instant when;
};
struct FailJob {
  Error error;
};
// The process must end: what is on disk is no longer known. The next start finds out.
struct StopJobMaster {
  std::string why;
};
struct AnswerManual {
  RequestId request;
  Result<CheckpointId> result;
};
// After Stopped: no publication is under way any more, and this is what to restore from.
struct Settled {
  std::optional<CheckpointId> newest;
};
using Output = std::variant<ReserveIds, Trigger, Publish, ReadBack, NotifyComplete, NotifyAborted,
                            Discard, WakeAt, FailJob, StopJobMaster, AnswerManual, Settled>;

}  // namespace weir::checkpoint
