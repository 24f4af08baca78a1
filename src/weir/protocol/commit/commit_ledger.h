#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/base/time.h"
#include "weir/protocol/commit/committable.h"

namespace weir::commit {

using BatchId = Id<struct BatchMeaning>;

// ---- What can happen ----

// What can be seen of the sink's earlier output, from outside the job.
struct Outside {
  std::optional<CheckpointId> highest_visible;
  // The outside keeps a marker that only ever grows (a table, a log), not just what lies around
  // there.
  bool keeps_marker = false;
};
enum class Rewind : std::uint8_t { kRefused, kAllowed };

// The sink begins: comes first, and once, with or without a checkpoint to restore.
struct Restored {
  std::vector<Committable> pending;             // from the state of any old subtask
  std::optional<CheckpointId> known_committed;  // the highest that any old subtask knew
  std::optional<CheckpointId> restored;         // none: the job begins from nothing
  Outside outside;
  Rewind rewind = Rewind::kRefused;
  Instant now;
};
// At a barrier: the output since the barrier before, staged and synced. It may be nothing.
struct Staged {
  CheckpointId id;
  std::vector<Committable> committables;
  Instant now;
};
// The checkpoint is durable; also where an abort of another one says so.
struct CheckpointComplete {
  CheckpointId id;
  Instant now;
};
struct CommitDone {
  BatchId batch;
  Instant now;
};
// `committed` of the batch, from its front, are known to be visible all the same.
struct CommitFailed {
  BatchId batch;
  std::size_t committed = 0;
  Error error;
  Instant now;
};
// The input has ended in a job that takes no checkpoints: nothing will ever be complete.
struct EndedWithoutCheckpoints {
  std::vector<Committable> committables;
  Instant now;
};
struct TimerFired {
  Instant now;
};
using Input = std::variant<Restored, Staged, CheckpointComplete, CommitDone, CommitFailed,
                           EndedWithoutCheckpoints, TimerFired>;

// ---- What the world is asked to do ----

// Make these visible, in this order, idempotently; answered by CommitDone or CommitFailed.
struct Commit {
  BatchId batch;
  std::vector<Committable> committables;
};
// Send TimerFired then, or at any earlier time.
struct WakeAt {
  Instant when;
};
// The sink cannot go on; nothing is answered any more.
struct Fail {
  Error error;
};
using Output = std::variant<Commit, WakeAt, Fail>;

// What the sink's state holds.
struct LedgerSnapshot {
  std::vector<Committable> pending;
  std::optional<CheckpointId> known_committed;
};

// Keeps account of what one Subtask of a transactional sink has staged and made visible.
//
// What is staged for a checkpoint becomes visible after that checkpoint, or a newer one, is
// complete; in the order of checkpoints, one batch at a time. Until a commit is known to have
// worked, its committables stay in the sink's state, and a restore commits them again: nobody knows
// whether they were committed before, and it does no harm. A commit that fails is tried again, ever
// more slowly but for ever, unless its error is for good.
//
// Restoring a checkpoint older than what is visible outside would make the same output visible
// twice: it is refused, unless the user has said that the output is to be rewound.
//
//   Shape   at a barrier: Staged first, then snapshot() goes into the checkpoint
//   Errors  as the output Fail
//   Thread  none of its own; the Subtask's mailbox is the only caller. Commits run elsewhere
//   Source  Flink: Committer, FLIP-143, FLIP-191
class CommitLedger {
 public:
  static constexpr Duration kFirstBackoff = Duration::millis(100);
  static constexpr Duration kLongestBackoff = Duration::seconds(10);

  std::vector<Output> step(const Input& input);

  LedgerSnapshot snapshot() const;
  // Everything that was staged is known to be visible. Stop and finish wait for it.
  bool may_finish() const { return pending_.empty(); }

 private:
  void on(const Restored& event);
  void on(const Staged& event);
  void on(const CheckpointComplete& event);
  void on(const CommitDone& event);
  void on(const CommitFailed& event);
  void on(const EndedWithoutCheckpoints& event);
  void on(const TimerFired& event);

  void commit_what_is_due();
  // The first `count` of the batch that is out are visible.
  void settle(std::size_t count);

  bool failed_ = false;
  std::set<Committable> pending_;
  std::optional<CheckpointId> known_committed_;
  CheckpointId complete_up_to_{};
  bool all_due_ = false;

  BatchId next_batch_{1};
  std::vector<Committable> batch_;  // that is out; empty: none is
  Duration backoff_ = kFirstBackoff;
  Instant now_{};
  Instant retry_at_{};
  Instant announced_ = Instant::never();
  std::vector<Output> out_;
};

}  // namespace weir::commit
