#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace weir::bench {

// What a person writes by hand when nothing but speed is asked for: open addressing, linear probing, slots of key and
// value side by side, huge pages, no deletion, no snapshot. The yardstick for keyed state.
//
//   Shape   key 0 is a free slot; a slot is 16 bytes; at most two thirds are used
class SumTable {
 public:
  struct Slot {
    std::uint64_t key;
    std::uint64_t value;
  };
  enum class Memory : bool { kTouched, kUntouched };

  // Room for `keys` keys.
  explicit SumTable(std::size_t keys, Memory memory = Memory::kTouched) {
    capacity_ = 16;
    while (capacity_ * 2 < keys * 3) capacity_ *= 2;
    slots_ = take(capacity_);
    if (memory == Memory::kTouched) std::memset(slots_, 0, capacity_ * sizeof(Slot));
  }
  ~SumTable() { munmap(slots_, capacity_ * sizeof(Slot)); }
  SumTable(const SumTable&) = delete;
  SumTable& operator=(const SumTable&) = delete;

  static std::uint64_t hash(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xe9846af9b1a615d;
    x ^= x >> 32;
    x *= 0xe9846af9b1a615d;
    return x ^ x >> 28;
  }

  // The key's value, 0 at first.
  std::uint64_t& at(std::uint64_t key) {
    auto i = hash(key) & (capacity_ - 1);
    while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & (capacity_ - 1);
    count_ += slots_[i].key == 0 ? 1 : 0;
    slots_[i].key = key;
    return slots_[i].value;
  }
  void prefetch(std::uint64_t key) const {
    __builtin_prefetch(&slots_[hash(key) & (capacity_ - 1)], 1);
  }

  // The same where the number of keys is not known: doubles when two thirds are used.
  std::uint64_t& at_growing(std::uint64_t key) {
    if (count_ * 3 >= capacity_ * 2) grow();
    return at(key);
  }

 private:
  static Slot* take(std::size_t capacity) {
    const auto bytes = capacity * sizeof(Slot);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<Slot*>(memory);
  }

  void grow() {
    SumTable larger(capacity_ * 2 * 2 / 3, Memory::kUntouched);
    for (std::size_t i = 0; i != capacity_; ++i)
      if (slots_[i].key != 0) larger.at(slots_[i].key) = slots_[i].value;
    std::swap(slots_, larger.slots_);
    std::swap(capacity_, larger.capacity_);
    std::swap(count_, larger.count_);
  }

  Slot* slots_;
  std::size_t capacity_;
  std::size_t count_ = 0;
};

}  // namespace weir::bench
