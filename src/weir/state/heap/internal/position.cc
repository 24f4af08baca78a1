#include "weir/state/heap/internal/position.h"

#include <bit>

namespace weir::state::heap {

GroupMap::GroupMap(KeyGroupRange range, std::uint32_t max_parallelism)
    : first_(range.first.value),
      count_(range.size()),
      divisor_(max_parallelism),
      mask_(max_parallelism - 1),
      is_power_of_two_(std::has_single_bit(max_parallelism)),
      reciprocal_(~std::uint64_t{0} / max_parallelism + 1) {
  WEIR_CHECK(range.last.value < max_parallelism);
}

void GroupMap::positions_of(const std::uint64_t* hashes, std::uint32_t count, std::uint32_t* groups,
                            std::uint32_t* spreads, std::uint8_t* tags) const {
  // One loop per result: each becomes vector code.
  if (is_power_of_two_) {
    for (std::uint32_t i = 0; i != count; ++i)
      groups[i] = (static_cast<std::uint32_t>(hashes[i]) & mask_) - first_;
  } else {
    for (std::uint32_t i = 0; i != count; ++i)
      groups[i] = remainder(static_cast<std::uint32_t>(hashes[i])) - first_;
  }
  for (std::uint32_t i = 0; i != count; ++i) spreads[i] = spread_of(hashes[i]);
  for (std::uint32_t i = 0; i != count; ++i) tags[i] = tag_of(hashes[i]);
}

}  // namespace weir::state::heap
