#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "weir/base/id.h"

namespace weir::checkpoint {

// Counts failed checkpoints against the tolerable number.
//
//   Shape   each id counts once, however often it is reported failed; ids up to the last success
//           never
//   Thread  none of its own: a part of the CheckpointCoordinator
//   Source  Flink: CheckpointFailureManager
class FailureCounter {
 public:
  explicit FailureCounter(std::uint32_t tolerable) : tolerable_(tolerable) {}

  // Whether this failure is one too many. If so, the count begins anew: the job fails once for it.
  bool on_failure(CheckpointId id);
  // The same for a failure before there was an id.
  bool on_failure_without_id() { return count(); }
  // A checkpoint newer than the last success clears the count.
  void on_success(CheckpointId id);

  std::uint32_t failures() const { return failures_; }

 private:
  // Only ids that may still be reported again matter: those that were in flight together.
  static constexpr std::size_t kRemembered = 1024;

  bool count();

  const std::uint32_t tolerable_;
  std::uint32_t failures_ = 0;
  std::optional<CheckpointId> last_success_;
  std::set<CheckpointId> counted_;  // only ids above the last success
};

}  // namespace weir::checkpoint
