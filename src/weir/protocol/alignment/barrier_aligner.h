#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "weir/base/checkpoint_barrier.h"
#include "weir/base/id.h"
#include "weir/base/time.h"

namespace weir::alignment {

using ChannelIndex = std::uint32_t;

// What the Subtask does after telling the aligner of an element.
enum class Verdict : std::uint8_t {
  kGoOn,      // nothing: the channel goes on being read
  kIgnore,    // the barrier is of no account; the channel goes on being read, nothing is forwarded
  kHoldBack,  // the channel is held back until is_held() says otherwise
  kSnapshot,  // forward barrier(), take the cut, no record in between; no channel is held any more
};

constexpr std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGoOn:
      return "go on";
    case Verdict::kIgnore:
      return "ignore";
    case Verdict::kHoldBack:
      return "hold back";
    case Verdict::kSnapshot:
      return "snapshot";
  }
  return "?";
}

// What an element that the aligner was told of leads to.
struct Answer {
  Verdict verdict = Verdict::kGoOn;
  // A checkpoint that this Subtask will not take part in any more, since a newer one has come: it
  // declines.
  std::optional<CheckpointId> abandoned;

  friend bool operator==(const Answer&, const Answer&) = default;
};

// What an alignment cost, for statistics.
struct AlignmentFigures {
  CheckpointId id;
  Duration duration;                  // from the first barrier to the last
  std::uint64_t processed_bytes = 0;  // read meanwhile from the channels that were not yet held
  friend bool operator==(const AlignmentFigures&, const AlignmentFigures&) = default;
};

// Decides when one Subtask may take its snapshot, in exactly-once mode.
//
// Tell it what arrives on each InputChannel; it answers which channels to hold back and when the
// barrier of a checkpoint has been seen on every channel that is still open. Between two barriers
// ask is_held() before reading a channel, at least after every answer other than kGoOn,
// on_aborted() and on_end().
//
// A newer barrier abandons the alignment of an older checkpoint; an older barrier is ignored. A
// channel that has ended counts as having delivered every barrier. A checkpoint that the
// coordinator has aborted is let go; its barriers that still come are ignored and not forwarded:
// the coordinator tells every Subtask of an abort, so nobody waits for them for ever and no marker
// needs to travel.
//
//   Shape   channels are 0 .. channel_count-1 for the life of the object; an ended one stays
//           numbered
//   Units   on_processed() counts payload, not framing
//   Errors  none. Barriers of another mode than exactly once are our bug: the planner sets the mode
//   Thread  none of its own; the Subtask's mailbox is the only caller
//   Source  Carbone et al. 2015, section 4; Flink: SingleCheckpointBarrierHandler,
//           CollectingBarriers
class BarrierAligner {
 public:
  // How many aborted ids above the current one are remembered.
  static constexpr std::size_t kAbortedRemembered = 128;

  explicit BarrierAligner(ChannelIndex channel_count);

  // A barrier has been read from a channel that is not held.
  Answer on_barrier(ChannelIndex channel, const CheckpointBarrier& barrier, Instant now);
  // The coordinator triggers this Subtask itself, since all its senders have FINISHED, or it has
  // none. A channel that is still open is waited for: its end is on the way.
  Answer on_trigger(const CheckpointBarrier& barrier, Instant now);
  // The channel is closed for good: its sender has FINISHED. EndOfData is not that: barriers, the
  // final checkpoint's among them, still follow it. Telling it twice is telling it once.
  Answer on_end(ChannelIndex channel, Instant now);
  // The coordinator has aborted a checkpoint. True where its alignment was under way here: the
  // channels that it held are free.
  bool on_aborted(CheckpointId id);

  // Whether the channel must not be read.
  bool is_held(ChannelIndex channel) const;
  bool is_aligning() const { return aligning_; }
  // The barrier being aligned, or, after kSnapshot, the one to forward.
  const CheckpointBarrier& barrier() const { return barrier_; }

  // Bytes of records that have been processed; they count while an alignment is under way.
  void on_processed(std::uint64_t bytes) { processed_bytes_ += aligning_ ? bytes : 0; }
  // Of the last alignment that ended in kSnapshot.
  const AlignmentFigures& figures() const { return figures_; }

 private:
  enum class Channel : std::uint8_t { kOpen, kHeld, kEnded };

  bool is_stale(CheckpointId id) const;
  // Turns to this barrier's checkpoint, if it is not the current one already; what was abandoned
  // for it.
  std::optional<CheckpointId> turn_to(const CheckpointBarrier& barrier, Instant now);
  Verdict snapshot_if_complete(Verdict otherwise, Instant now);
  void release();

  std::vector<Channel> channels_;
  ChannelIndex awaited_;  // open channels that have not delivered the current barrier
  bool aligning_ = false;
  CheckpointBarrier barrier_;
  CheckpointId last_{};             // the newest id that has ended here, in whatever way
  std::set<CheckpointId> aborted_;  // of those above last_

  Instant began_{};
  std::uint64_t processed_bytes_ = 0;
  AlignmentFigures figures_{};
};

}  // namespace weir::alignment
