#include "weir/protocol/alignment/barrier_aligner.h"

#include "weir/base/check.h"
#include "weir/base/mutant.h"

namespace weir::alignment {

BarrierAligner::BarrierAligner(ChannelIndex channel_count)
    : channels_(channel_count, Channel::kOpen), awaited_(channel_count) {}

Answer BarrierAligner::on_barrier(ChannelIndex channel, const CheckpointBarrier& barrier,
                                  Instant now) {
  WEIR_CHECK(channels_[channel] != Channel::kEnded);
  if (is_stale(barrier.id)) return {.verdict = Verdict::kIgnore, .abandoned = std::nullopt};
  const auto abandoned = turn_to(barrier, now);
  if (channels_[channel] == Channel::kHeld)  // The same barrier once more.
    return {.verdict = Verdict::kHoldBack, .abandoned = abandoned};
  channels_[channel] = Channel::kHeld;
  --awaited_;
  return {.verdict = snapshot_if_complete(Verdict::kHoldBack, now), .abandoned = abandoned};
}

Answer BarrierAligner::on_trigger(const CheckpointBarrier& barrier, Instant now) {
  if (is_stale(barrier.id)) return {.verdict = Verdict::kIgnore, .abandoned = std::nullopt};
  const auto abandoned = turn_to(barrier, now);
  return {.verdict = snapshot_if_complete(Verdict::kGoOn, now), .abandoned = abandoned};
}

Answer BarrierAligner::on_end(ChannelIndex channel, Instant now) {
  if (channels_[channel] == Channel::kEnded) return {};
  if (channels_[channel] == Channel::kOpen) --awaited_;
  channels_[channel] = Channel::kEnded;
  return {.verdict = snapshot_if_complete(Verdict::kGoOn, now), .abandoned = std::nullopt};
}

bool BarrierAligner::on_aborted(CheckpointId id) {
  if (aligning_ && barrier_.id == id) {
    last_ = id;
    release();
    return true;
  }
  if (is_stale(id)) return false;
  aborted_.insert(id);
  if (aborted_.size() > kAbortedRemembered) aborted_.erase(aborted_.begin());
  return false;
}

bool BarrierAligner::is_held(ChannelIndex channel) const {
  if (mutant(Mutant::kHeldBackChannelRead)) return false;
  return channels_[channel] == Channel::kHeld;
}

bool BarrierAligner::is_stale(CheckpointId id) const {
  return id <= last_ || (aligning_ && id < barrier_.id) || aborted_.contains(id);
}

std::optional<CheckpointId> BarrierAligner::turn_to(const CheckpointBarrier& barrier, Instant now) {
  WEIR_CHECK(barrier.alignment == AlignmentMode::kExactlyOnce);
  if (aligning_ && barrier_.id == barrier.id) return std::nullopt;
  std::optional<CheckpointId> abandoned;
  if (aligning_) {
    abandoned = last_ = barrier_.id;
    release();
  }
  aligning_ = true;
  barrier_ = barrier;
  began_ = now;
  processed_bytes_ = 0;
  aborted_.erase(aborted_.begin(), aborted_.lower_bound(barrier.id));
  return abandoned;
}

Verdict BarrierAligner::snapshot_if_complete(Verdict otherwise, Instant now) {
  if (!aligning_ || awaited_ != 0) return otherwise;
  figures_ = {.id = barrier_.id, .duration = now - began_, .processed_bytes = processed_bytes_};
  last_ = barrier_.id;
  release();
  return Verdict::kSnapshot;
}

void BarrierAligner::release() {
  aligning_ = false;
  awaited_ = 0;
  for (auto& channel : channels_) {
    if (channel == Channel::kEnded) continue;
    channel = Channel::kOpen;
    ++awaited_;
  }
}

}  // namespace weir::alignment
