#pragma once

#include <cstdint>

// The records and steps of the pipeline benches, the same for Weir and for the loops it is compared with.
namespace weir::bench {

// 32 bytes.
struct Wide {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::uint64_t d = 0;
};

inline Wide make_wide(std::uint64_t i) { return {i, i * 3, i ^ 0x55, i + 7}; }

// One multiply and one xor-shift per 8 bytes.
inline std::uint64_t mixed(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15ULL;
  return x ^ x >> 29;
}
inline Wide mix(const Wide& r) { return {mixed(r.a), mixed(r.b), mixed(r.c), mixed(r.d)}; }
// Drops half of them, in no pattern.
inline bool keep(const Wide& r) { return (r.a & 1) != 0; }

// A key of 8 bytes and something to sum.
struct Update {
  std::uint64_t key = 0;
  std::uint64_t value = 0;
};
struct Total {
  std::uint64_t key = 0;
  std::uint64_t value = 0;
};

// The i-th update over `keys` keys, uniform; every key from 1 to `keys`, spread over 64 bits, comes up.
inline std::uint64_t nth_key(std::uint64_t i, std::uint64_t keys) {
  const auto random = static_cast<std::uint32_t>(mixed(mixed(i + 1)) >> 16);
  return (random * keys >> 32) + 1;
}
inline std::uint64_t spread(std::uint64_t key) { return key * 0x9e3779b97f4a7c15ULL; }
inline Update make_update(std::uint64_t i, std::uint64_t keys) {
  return {spread(nth_key(i, keys)), i & 7};
}
// For filling: key i + 1 exactly once.
inline Update first_update(std::uint64_t i) { return {spread(i + 1), 1}; }

inline constexpr std::uint32_t kBatch = 1024;

// The batch is somebody else's business from here on: the compiler must write it.
template <class T>
void consume(const T* batch) {
  asm volatile("" ::"r"(batch) : "memory");
}

}  // namespace weir::bench
