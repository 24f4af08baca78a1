#pragma once

#include <atomic>
#include <cstdint>

namespace weir::metrics {

// A number that its one owner changes and anybody reads. Changing it costs a plain addition.
//
//   Thread  add() and set() by the owner, value() by any
class Metric {
 public:
  void add(std::uint64_t n) {
    // One writer, so no read-modify-write is needed; no partner: readers want a recent number, not an order.
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void set(std::uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace weir::metrics
