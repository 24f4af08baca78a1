#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/time.h"

namespace weir::connectors {

// Keeps somebody from being faster than a number of bytes per second.
//
//   Shape   after a pause it may catch up for kCatchUp at most
//   Thread  its owner's
class Pace {
 public:
  static constexpr Duration kCatchUp = Duration::millis(100);

  // 0: no limit.
  explicit Pace(double bytes_per_second = 0) : bytes_per_second_(bytes_per_second) {}

  bool is_limited() const { return bytes_per_second_ > 0; }
  // Not before this time.
  Instant due() const { return due_; }
  void took(std::uint64_t bytes, Instant now) {
    due_ =
        std::max(due_, now - kCatchUp) +
        Duration{static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 / bytes_per_second_)};
  }

 private:
  const double bytes_per_second_;
  Instant due_{};
};

}  // namespace weir::connectors
