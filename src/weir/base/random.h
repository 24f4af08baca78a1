#pragma once

#include <cstdint>

#include "weir/base/check.h"

namespace weir {

// Seeded random numbers: the same seed gives the same numbers on every machine.
//
//   Thread  one at a time
//   Source  splitmix64 (Steele, Lea, Flood 2014)
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  // Uniform in 0 .. bound-1.
  constexpr std::uint64_t below(std::uint64_t bound) {
    WEIR_DCHECK(bound > 0);
    return static_cast<std::uint64_t>(
        __extension__ static_cast<unsigned __int128>(next()) * bound >> 64);
  }
  // Uniform in low .. high, both included.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  // True once in `n` times on average; never where n is 0.
  constexpr bool one_in(std::uint64_t n) { return n != 0 && below(n) == 0; }
  // A generator of its own that does not disturb this one's later numbers beyond one draw.
  constexpr Random fork() { return Random(next()); }

 private:
  std::uint64_t state_;
};

}  // namespace weir
