#pragma once

#include "weir/env/api/clock.h"

namespace weir::env {

// The kernel's clocks: CLOCK_MONOTONIC and CLOCK_REALTIME.
//
//   Thread  any
class PosixClock final : public Clock {
 public:
  Instant now() const override;
  WallTime wall() const override;
  // The same time as now(), read in a few nanoseconds, but up to kCoarseLag behind it.
  Instant coarse() const;

  // One tick of the slowest kernel (CONFIG_HZ=100).
  static constexpr Duration kCoarseLag = Duration::millis(10);
};

}  // namespace weir::env
