#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "weir/base/bytes.h"
#include "weir/base/checkpoint_barrier.h"
#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/protocol/checkpoint/state_handle.h"

// What is posted to a Subtask's mailbox.
namespace weir::task {

// The operators have been opened and have their state, or not. From the I/O pool.
struct Opened {
  Status status;
};
struct BarrierDue {
  CheckpointBarrier barrier;
};
struct Completed {
  CheckpointId id;
};
struct Aborted {
  CheckpointId id;
  std::optional<CheckpointId> latest_complete;
};
struct Cancel {};
struct Hint {
  SubtaskIndex from;
  Bytes bytes;
};
// Everything of the checkpoint that is this Subtask's is durable, or an error. From the I/O pool.
struct Uploaded {
  CheckpointId id;
  Result<checkpoint::SubtaskSnapshot> snapshot;
  std::uint64_t bytes = 0;
};
// From an operator, by OperatorContext::post.
struct Call {
  std::size_t op;  // its place in the chain
  std::function<void()> function;
};

using Letter = std::variant<Opened, BarrierDue, Completed, Aborted, Cancel, Hint, Uploaded, Call>;

}  // namespace weir::task
