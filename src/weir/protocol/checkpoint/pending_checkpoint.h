#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "weir/base/checkpoint_barrier.h"
#include "weir/base/id.h"
#include "weir/base/time.h"
#include "weir/protocol/checkpoint/checkpoint_plan.h"
#include "weir/protocol/checkpoint/completed_checkpoint.h"

namespace weir::checkpoint {

// A hand that asked for a checkpoint, and waits for the answer.
using RequestId = Id<struct RequestMeaning>;

// A checkpoint that has been triggered and is not yet known to be durable.
//
// It collects the acknowledgements; when it awaits nobody it can be sealed, which is the point of
// no return: Publish is out, and from then on only its fate can end it, no timeout and no abort.
//
//   Errors  none: what is late, repeated or of a dead attempt is told by Accepted
//   Thread  none of its own: a part of the CheckpointCoordinator
class PendingCheckpoint {
 public:
  struct Terms {
    CheckpointBarrier barrier;
    Instant deadline;
    std::optional<RequestId>
        request;  // who asked for it; nobody: the timer or the end of the input
    std::set<TaskId> awaited;
    std::set<TaskId> finished;
  };
  explicit PendingCheckpoint(Terms terms) : terms_(std::move(terms)), missing_(terms_.awaited) {}

  enum class Accepted : std::uint8_t { kYes, kDuplicate, kUnknownTask };
  Accepted accept(TaskId task, SubtaskSnapshot snapshot);

  bool awaits(TaskId task) const { return missing_.contains(task); }
  bool awaits_anyone() const { return !missing_.empty(); }
  const std::set<TaskId>& missing() const { return missing_; }
  std::size_t awaited() const { return terms_.awaited.size(); }

  void seal();
  bool sealed() const { return sealed_; }

  CheckpointId id() const { return terms_.barrier.id; }
  Instant deadline() const { return terms_.deadline; }
  std::optional<RequestId> request() const { return terms_.request; }

  // The files of the acknowledgements so far: what an abort must delete.
  std::vector<FileHandle> files() const;
  // The Subtasks whose snapshot was taken at the end of their input.
  std::vector<TaskId> at_end() const;
  // The checkpoint that these acknowledgements make, once nobody is awaited.
  CompletedCheckpoint content(const CheckpointPlan& plan) const;

 private:
  std::vector<StateSchema> schemas() const;
  SubtaskProgress progress_of(TaskId task) const;

  Terms terms_;
  std::set<TaskId> missing_;
  std::map<TaskId, SubtaskSnapshot> acked_;
  bool sealed_ = false;
};

}  // namespace weir::checkpoint
