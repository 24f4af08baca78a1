#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "weir/base/time.h"

namespace weir::env {

// Where one thread sleeps until another has something for it.
//
// The sleeper says prepare(), looks once more for work, and then sleep()s or cancel()s. The other
// publishes work and then says unpark(). No sleep is missed: both sides write first and read then,
// sequentially consistent, so at least one of them sees the other.
//
//   Thread  prepare, sleep, cancel: the sleeper; unpark: any. unpark() costs one load while nobody
//           sleeps
class ParkingSpot {
 public:
  void prepare() { parked_.store(1, std::memory_order_seq_cst); }
  void cancel() { parked_.store(0, std::memory_order_relaxed); }
  // May return early. A negative or zero span returns at once, `forever` only on unpark().
  void sleep(Duration span);
  void unpark() {
    if (parked_.load(std::memory_order_seq_cst) == 1) wake();
  }

  static constexpr Duration kForever = {std::numeric_limits<std::int64_t>::max()};

 private:
  void wake();

  std::atomic<std::uint32_t> parked_{0};  // A futex word: 1 while the thread sleeps or is about to.
};

}  // namespace weir::env
