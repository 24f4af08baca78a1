#pragma once

#include "weir/base/time.h"

namespace weir::env {

// Tells the time.
//
//   Thread  any
class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic: never steps back. A reading costs some 40 ns, so stamp batches, not records.
  virtual Instant now() const = 0;
  // May step in either direction. For people and names only.
  virtual WallTime wall() const = 0;
};

}  // namespace weir::env
