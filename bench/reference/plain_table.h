#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace weir::bench {

// Memory on huge pages where the kernel has them, so that both sides of a comparison have the same.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  explicit HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(std::size_t n) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    const std::size_t bytes = (n * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
    void* at = std::aligned_alloc(kHugePage, bytes);
    if (at == nullptr) throw std::bad_alloc();
    ::madvise(at, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t) { std::free(at); }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

// What a person writes by hand when nothing but speed is asked for: open addressing, linear
// probing, slots of key and value side by side, no deletion, no snapshot. The yardstick for keyed
// state.
//
//   Shape   key 0 is a free slot
template <std::size_t kValueBytes>
class PlainTable {
 public:
  struct Slot {
    std::uint64_t key;
    std::uint64_t value[kValueBytes / 8];
  };

  // Room for `keys` at a fill of at most two thirds, its memory touched.
  explicit PlainTable(std::size_t keys) { resize(keys); }

  static std::uint64_t hash(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xe9846af9b1a615d;
    x ^= x >> 32;
    x *= 0xe9846af9b1a615d;
    return x ^ x >> 28;
  }

  std::uint64_t& at(std::uint64_t key) {
    auto i = hash(key) & mask_;
    while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & mask_;
    if (slots_[i].key == 0) {
      slots_[i].key = key;
      ++count_;
    }
    return slots_[i].value[0];
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[hash(key) & mask_], 1); }

  // The same where the number of keys is not known.
  std::uint64_t& at_growing(std::uint64_t key) {
    if (count_ * 3 >= slots_.size() * 2) grow();
    return at(key);
  }

 private:
  void resize(std::size_t keys) {
    std::size_t capacity = 16;
    while (capacity * 2 < keys * 3) capacity *= 2;
    slots_.assign(capacity, Slot{});
    mask_ = capacity - 1;
  }
  void grow() {
    auto old = std::move(slots_);
    slots_.assign(old.size() * 2, Slot{});
    mask_ = slots_.size() - 1;
    count_ = 0;
    for (const auto& slot : old) {
      if (slot.key == 0) continue;
      at(slot.key);
      auto i = hash(slot.key) & mask_;
      while (slots_[i].key != slot.key) i = (i + 1) & mask_;
      slots_[i] = slot;
    }
  }

  std::vector<Slot, HugePageAllocator<Slot>> slots_;
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weir::bench
