#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/operators/api/operator_context.h"
#include "weir/operators/api/output.h"
#include "weir/stream/batch_cursor.h"

namespace weir::operators {

using InputIndex = std::uint32_t;
// An operator's outputs, numbered from 0.
using Outputs = std::span<Output* const>;

// Why an operator returned.
enum class Progress : unsigned char {
  kDone,             // all that it was called for is finished
  kMore,             // it has used its budget: call again
  kBlockedOnOutput,  // an output is full: call again when that is taken
  kBlockedOnState,   // the staging area of a snapshot is full: call again when it is drained
  kBlockedOnLetter,  // nothing to do before a letter comes (I/O, a new split)
};

// What a checkpoint must hold of an operator beside its keyed state: lists, once they are durable
// where they speak of files and the like.
//
// The snapshot itself only captures. The work is called on the I/O pool, must not touch the
// operator, and calls `done` once, from any thread.
using SnapshotDone = std::function<void(Result<state::OperatorListState>)>;
using SnapshotWork = std::function<void(SnapshotDone done)>;
// For lists that need no work.
SnapshotWork captured(state::OperatorListState lists);

// One Operator runs inside one Subtask. Virtual once per batch, never per record.
//
// process() goes on at the cursor and may return before the end: on a full output, on a full
// staging area. What it has not read is input channel state; it never stops inside a record.
//
//   Thread  open() on the I/O pool, before anything else; close() and all others on the Subtask's
//           thread
//   Errors  what the user's functions throw passes through and fails the Subtask
class Operator {
 public:
  virtual ~Operator() = default;

  // Declares state, restores what the checkpoint held. May block. The context lives as long as the
  // operator.
  virtual Status open(OperatorContext& context) = 0;

  // Reads on at the cursor until it is done or something blocks.
  virtual Progress process(InputIndex input, stream::BatchCursor& cursor, Outputs outputs) = 0;
  // Puts out records that no input asked for, at most about a batch a call. Only called of a
  // source, where kDone means that its data has ended.
  virtual Progress produce(Outputs) { return Progress::kDone; }
  virtual bool is_source() const { return false; }
  // That input has ended: nothing more will be processed from it.
  virtual void on_end_of_input(InputIndex) {}
  // All inputs have ended, nothing is unread. Called until it says kDone; a checkpoint may fall
  // between two calls.
  virtual Progress finish(Outputs) { return Progress::kDone; }

  // With no record processed or emitted since the barrier went on.
  virtual SnapshotWork snapshot(CheckpointId) { return {}; }
  // The checkpoint is complete: it will be found after any crash. Ids increase, some may be left
  // out.
  virtual void on_checkpoint_complete(CheckpointId) {}
  virtual void on_checkpoint_aborted(CheckpointId) {}
  // Without checkpointing: nothing will be snapshotted, so what waits for a checkpoint happens at
  // the end.
  virtual void on_end_without_checkpoint() {}
  // False while something is still to be committed: the Subtask is not FINISHED before.
  virtual bool may_finish() const { return true; }
  // What keeps may_finish() from being true failed for good.
  virtual Status health() const { return ok(); }

  // Of a source: how much of what it was given it has read, in its own unit.
  struct Share {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::uint64_t records = 0;
  };
  virtual Share progress() const { return {}; }
  // When on_time() is to be called next, at the latest.
  virtual Instant wake_at() const { return Instant::never(); }
  virtual void on_time(Instant) {}
  // No I/O of it is under way: it may be destroyed. Asked also where open() failed or was never
  // called.
  virtual bool is_quiet() const { return true; }

  // A message from a reader; it may be a repetition, and others may have been lost.
  virtual void on_hint(SubtaskIndex, ByteView) {}
};

// Makes the Operator of each Subtask.
//
//   Thread  make() from any, one at a time
class OperatorFactory {
 public:
  virtual ~OperatorFactory() = default;
  virtual std::unique_ptr<Operator> make() const = 0;
  // An empty batch of the records it puts out; null for a sink.
  virtual stream::BatchPtr make_output(stream::Columns columns, std::uint32_t capacity) const = 0;
};

}  // namespace weir::operators
