#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "weir/base/check.h"

namespace weir::exchange {

// A bounded queue from one thread to one other, without locks.
//
//   Shape   holds at most `capacity` items, in order
//   Thread  push() and is_full() by the producer only, pop() and front() by the consumer only;
//           is_empty() by either, as a hint for the producer
template <class T>
class SpscRing {
 public:
  explicit SpscRing(std::size_t capacity)
      : capacity_(capacity), mask_(std::bit_ceil(capacity) - 1), items_(new T[mask_ + 1]) {}

  // Puts a T there, or what one is assigned from. False, and `item` is left alone, where there is no room.
  template <class Item = T>
  bool push(Item&& item) {
    static_assert(!std::is_lvalue_reference_v<Item>, "the ring takes the item over: move it");
    const auto tail = tail_.load(std::memory_order_relaxed);
    if (tail - seen_head_ == capacity_) {
      seen_head_ = head_.load(std::memory_order_acquire);  // Partner: pop().
      if (tail - seen_head_ == capacity_) return false;
    }
    items_[tail & mask_] = std::forward<Item>(item);
    tail_.store(tail + 1, std::memory_order_release);  // Partner: front().
    return true;
  }

  // The oldest item, null where there is none.
  T* front() {
    const auto head = head_.load(std::memory_order_relaxed);
    if (head == seen_tail_) {
      seen_tail_ = tail_.load(std::memory_order_acquire);
      if (head == seen_tail_) return nullptr;
    }
    return &items_[head & mask_];
  }
  // Drops what front() showed, moved from or not.
  void pop() {
    const auto head = head_.load(std::memory_order_relaxed);
    head_.store(head + 1, std::memory_order_release);
  }

  std::size_t size() const {
    const auto head = head_.load(std::memory_order_acquire);
    return tail_.load(std::memory_order_acquire) - head;
  }
  bool is_empty() const { return size() == 0; }

 private:
  const std::size_t capacity_;
  const std::size_t mask_;
  const std::unique_ptr<T[]> items_;
  // Each side's words on cache lines of their own, so that they do not steal each other's.
  alignas(64) std::atomic<std::size_t> head_{0};
  std::size_t seen_tail_ = 0;  // the consumer's copy of tail_
  alignas(64) std::atomic<std::size_t> tail_{0};
  std::size_t seen_head_ = 0;  // the producer's copy of head_
};

}  // namespace weir::exchange
