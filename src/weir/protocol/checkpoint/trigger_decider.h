#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "weir/base/time.h"
#include "weir/protocol/checkpoint/checkpoint_options.h"
#include "weir/protocol/checkpoint/pending_checkpoint.h"

namespace weir::checkpoint {

// Decides when the next checkpoint is triggered.
//
// Three things ask for one: a hand, the end of the input, the timer; in this order of urgency. Only
// the timer heeds the minimum pause. The timer ticks at a fixed rate; ticks that come while no
// checkpoint may be triggered are one tick, which is served as soon as one may.
//
//   Shape   the first tick comes one interval after the last Subtask runs, or after the minimum
//           pause if there is one and the attempt was restored
//   Thread  none of its own: a part of the CheckpointCoordinator
//   Source  Flink: CheckpointRequestDecider
class TriggerDecider {
 public:
  static constexpr std::size_t kQueueMax = 1000;

  explicit TriggerDecider(const CheckpointOptions& options);

  enum class Start : std::uint8_t { kFresh, kRestored };
  void begin(Instant now, Start start);
  // Nothing is due any more; the requests that nobody has served.
  std::vector<RequestId> end();

  // False where too many wait already.
  bool ask(RequestId request);
  void want_final(bool wanted) { final_wanted_ = wanted; }
  // A checkpoint has completed: the minimum pause begins.
  void on_completed(Instant now);

  struct Situation {
    Instant now;
    std::size_t pending = 0;
    std::size_t cleaning = 0;  // discards under way
  };
  enum class Cause : std::uint8_t { kManual, kFinal, kPeriodic };
  struct Decision {
    Cause cause;
    std::optional<RequestId> request;
  };
  // What may be triggered now; it stays so until taken.
  std::optional<Decision> next(const Situation& situation) const;
  void take(const Decision& decision, Instant now);
  // The tick that is due cannot be served for want of ids: wait for the one after it.
  void skip_tick(Instant now);

  // The next tick to wake up for; never() where none is planned or one is overdue.
  Instant next_tick(Instant now) const { return tick_ > now ? tick_ : Instant::never(); }

 private:
  const std::size_t max_concurrent_;
  const Duration min_pause_;
  const std::optional<Duration> period_;
  Instant tick_ = Instant::never();
  bool final_wanted_ = false;
  std::deque<RequestId> queue_;
};

}  // namespace weir::checkpoint
