#pragma once

#include <deque>
#include <map>
#include <vector>

#include "weir/protocol/checkpoint/pending_checkpoint.h"

namespace weir::checkpoint {

// The checkpoints that are under way, by id, and a memory of those that were aborted of late.
//
//   Shape   in order of id, which is that of their triggers
//   Thread  none of its own: a part of the CheckpointCoordinator
class PendingCheckpoints {
 public:
  // How many aborted ones are remembered, so that what comes late for them can be deleted.
  static constexpr std::size_t kAbortedRemembered = 16;

  PendingCheckpoint& add(PendingCheckpoint pending);
  PendingCheckpoint complete(CheckpointId id);
  PendingCheckpoint abort(CheckpointId id);

  // nullptr where there is none: under this id, waiting for this Subtask (the oldest), with Publish
  // out, awaiting nobody and not sealed (the oldest).
  PendingCheckpoint* find(CheckpointId id);
  PendingCheckpoint* awaiting(TaskId task);
  PendingCheckpoint* sealed();
  PendingCheckpoint* acknowledged();

  // Those that an abort can still end, oldest first: all, below an id, out of time, for want of a
  // Subtask.
  std::vector<CheckpointId> open() const;
  std::vector<CheckpointId> open_below(CheckpointId id) const;
  std::vector<CheckpointId> expired(Instant now) const;
  std::vector<CheckpointId> awaiting_all(TaskId task) const;

  bool was_aborted(CheckpointId id) const;
  Instant earliest_deadline() const;  // of the open ones; never() where there is none
  std::size_t size() const { return pending_.size(); }

 private:
  template <class Condition>
  PendingCheckpoint* first(Condition condition);
  template <class Condition>
  std::vector<CheckpointId> open_where(Condition condition) const;

  std::map<CheckpointId, PendingCheckpoint> pending_;
  std::deque<CheckpointId> aborted_;
};

}  // namespace weir::checkpoint
