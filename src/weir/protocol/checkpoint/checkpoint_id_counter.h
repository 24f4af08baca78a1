#pragma once

#include <cstdint>
#include <optional>

#include "weir/base/id.h"

namespace weir::checkpoint {

// Hands out checkpoint ids so that none is ever used twice, whatever crashes.
//
// An id may be used once a bound at or above it is durable in the run's record. After a crash the
// next id is above the bound, since any id below it may have been used; what was left of a block is
// lost.
//
//   Units   a block is 16 ids: one durable write for 16 checkpoints
//   Thread  none of its own: a part of the CheckpointCoordinator
class CheckpointIdCounter {
 public:
  static constexpr std::uint64_t kBlock = 16;

  // `reserved_up_to` is the durable bound, `newest_seen` the newest id met anywhere else: the
  // restored checkpoint's, a marker outside.
  void begin(CheckpointId reserved_up_to, CheckpointId newest_seen);

  // The bound to make durable, where none is left and none is asked for already.
  std::optional<CheckpointId> take_reservation();
  void on_reserved(CheckpointId up_to);
  void on_refused() { asked_ = false; }

  bool available() const { return next_ <= reserved_; }
  CheckpointId take();

 private:
  CheckpointId next_{1};
  CheckpointId reserved_{0};
  bool asked_ = false;
};

}  // namespace weir::checkpoint
