#pragma once

#include <cstdint>

#include "weir/keygroup/key_group.h"

namespace weir::state::heap {

// Where an entry belongs in the table's order: the key group, counted from the first of the range,
// and 32 bits of spread within the group.
struct Position {
  std::uint32_t group = 0;
  std::uint32_t spread = 0;

  constexpr std::uint64_t word() const { return std::uint64_t{group} << 32 | spread; }
  static constexpr Position of_word(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
  }
};

// Eight bits of the hash that say little about the position; never 0, which is a free slot.
constexpr std::uint8_t tag_of(std::uint64_t hash) {
  const auto bits = static_cast<std::uint8_t>(hash >> 32);
  return static_cast<std::uint8_t>(bits + (bits == 0));
}

// Where in its group an entry lies: the hash's upper half, bent.
//
// If the hash itself were taken, all segments of a group would fill up and split at the same time,
// and the table's fill would swing between 0.63 and 0.76 with its size. So the entries are spread
// with a density that falls by half from one end to the other, as a segment's does when it splits:
// at any size some segments are about to split, some just have, and the fill stays at 0.69.
//
//   Source  Martin, Spiral Storage (1979). x - c x (1-x), here 2^x - 1 to within half a percent
constexpr std::uint32_t spread_of(std::uint64_t hash) {
  const auto x = static_cast<std::uint32_t>(hash >> 32);
  const auto product =
      static_cast<std::uint32_t>(std::uint64_t{x} * static_cast<std::uint32_t>(~x) >> 32);
  constexpr std::uint64_t kBend = 0x55555555;  // a third
  return x - static_cast<std::uint32_t>(product * kBend >> 32);
}

// Key groups of hashes, relative to a range.
class GroupMap {
 public:
  GroupMap(KeyGroupRange range, std::uint32_t max_parallelism);

  std::uint32_t group_of(std::uint64_t hash) const {
    const auto low = static_cast<std::uint32_t>(hash);
    return (is_power_of_two_ ? low & mask_ : remainder(low)) - first_;
  }
  Position position_of(std::uint64_t hash) const { return {group_of(hash), spread_of(hash)}; }
  // The same for many at once.
  void positions_of(const std::uint64_t* hashes, std::uint32_t count, std::uint32_t* groups,
                    std::uint32_t* spreads, std::uint8_t* tags) const;

  std::uint32_t group_count() const { return count_; }
  KeyGroup key_group(std::uint32_t group) const { return {first_ + group}; }

 private:
  // Lemire, Kaser, Kurz: Faster remainder by direct computation (2019).
  std::uint32_t remainder(std::uint32_t low) const {
    const std::uint64_t fraction = reciprocal_ * low;
    return static_cast<std::uint32_t>(
        __extension__ static_cast<unsigned __int128>(fraction) * divisor_ >> 64);
  }

  std::uint32_t first_;
  std::uint32_t count_;
  std::uint32_t divisor_;
  std::uint32_t mask_;
  bool is_power_of_two_;
  std::uint64_t reciprocal_;
};

}  // namespace weir::state::heap
