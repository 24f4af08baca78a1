#include "weir/keygroup/key_group.h"

#include <algorithm>
#include <bit>

#include "weir/base/check.h"

namespace weir {

KeyGroupRange key_groups_of(SubtaskIndex subtask, const Scale& scale) {
  WEIR_CHECK(scale.parallelism <= scale.max_parallelism);
  WEIR_CHECK(subtask.value < scale.parallelism);
  const std::uint64_t i = subtask.value;
  const std::uint64_t p = scale.parallelism;
  const std::uint64_t m = scale.max_parallelism;
  return {{static_cast<std::uint32_t>((i * m + p - 1) / p)},
          {static_cast<std::uint32_t>(((i + 1) * m - 1) / p)}};
}

SubtaskIndex subtask_of(KeyGroup group, const Scale& scale) {
  WEIR_DCHECK(group.value < scale.max_parallelism);
  return {static_cast<std::uint32_t>(static_cast<std::uint64_t>(group.value) * scale.parallelism /
                                     scale.max_parallelism)};
}

void subtasks_of(std::span<const std::uint64_t> key_hashes, const Scale& scale,
                 std::uint16_t* subtasks) {
  const auto parallelism = scale.parallelism;
  if (std::has_single_bit(scale.max_parallelism)) {
    // Neither side exceeds 2^15, so 32 bits hold the product; no division, and the loop vectorises.
    const auto mask = scale.max_parallelism - 1;
    const auto shift = std::countr_zero(scale.max_parallelism);
    for (std::size_t i = 0; i != key_hashes.size(); ++i) {
      const auto group = static_cast<std::uint32_t>(key_hashes[i]) & mask;
      subtasks[i] = static_cast<std::uint16_t>(group * parallelism >> shift);
    }
    return;
  }
  for (std::size_t i = 0; i != key_hashes.size(); ++i) {
    const auto group = key_group_of(key_hashes[i], scale.max_parallelism);
    subtasks[i] = static_cast<std::uint16_t>(subtask_of(group, scale).value);
  }
}

std::uint32_t default_max_parallelism(std::uint32_t parallelism) {
  const std::uint64_t wanted = parallelism + std::uint64_t{parallelism} / 2;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::bit_ceil(wanted), kMaxParallelismMin, kMaxParallelismLimit));
}

}  // namespace weir
