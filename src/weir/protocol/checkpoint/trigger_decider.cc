#include "weir/protocol/checkpoint/trigger_decider.h"

#include <algorithm>

#include "weir/base/check.h"

namespace weir::checkpoint {

TriggerDecider::TriggerDecider(const CheckpointOptions& options)
    : max_concurrent_(options.min_pause > Duration{} ? 1 : options.max_concurrent),
      min_pause_(options.min_pause),
      period_(options.interval ? std::optional(std::max(*options.interval, options.min_pause))
                               : std::nullopt) {
  WEIR_CHECK(options.max_concurrent > 0);
  WEIR_CHECK(!period_ || *period_ > Duration{});
}

void TriggerDecider::begin(Instant now, Start start) {
  if (!period_) return;
  const bool soon = start == Start::kRestored && min_pause_ > Duration{};
  tick_ = now + (soon ? min_pause_ : *period_);
}

std::vector<RequestId> TriggerDecider::end() {
  std::vector<RequestId> unserved(queue_.begin(), queue_.end());
  queue_.clear();
  tick_ = Instant::never();
  final_wanted_ = false;
  return unserved;
}

bool TriggerDecider::ask(RequestId request) {
  if (queue_.size() == kQueueMax) return false;
  queue_.push_back(request);
  return true;
}

void TriggerDecider::on_completed(Instant now) {
  if (min_pause_ > Duration{} && tick_ != Instant::never())
    tick_ = std::max(tick_, now + min_pause_);
}

std::optional<TriggerDecider::Decision> TriggerDecider::next(const Situation& situation) const {
  if (situation.pending >= max_concurrent_) return std::nullopt;
  if (situation.cleaning > max_concurrent_) return std::nullopt;
  if (!queue_.empty()) return Decision{Cause::kManual, queue_.front()};
  if (final_wanted_) return Decision{Cause::kFinal, std::nullopt};
  if (tick_ <= situation.now) return Decision{Cause::kPeriodic, std::nullopt};
  return std::nullopt;
}

void TriggerDecider::take(const Decision& decision, Instant now) {
  switch (decision.cause) {
    case Cause::kManual:
      queue_.pop_front();
      return;
    case Cause::kFinal:
      final_wanted_ = false;
      return;
    case Cause::kPeriodic:
      skip_tick(now);
      return;
  }
}

void TriggerDecider::skip_tick(Instant now) {
  if (tick_ > now) return;
  const auto passed = (now - tick_).ns / period_->ns + 1;
  tick_ = tick_ + *period_ * passed;
}

}  // namespace weir::checkpoint
