#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "weir/base/id.h"

namespace weir {

// One of a job's max_parallelism shares of the key space, 0 .. max_parallelism-1.
using KeyGroup = Id<struct KeyGroupMeaning, std::uint32_t>;

inline constexpr std::uint32_t kMaxParallelismMin = 128;
inline constexpr std::uint32_t kMaxParallelismLimit = 32768;

// A Subtask's contiguous share of the KeyGroups. It is never empty.
struct KeyGroupRange {
  KeyGroup first;
  KeyGroup last;  // included

  constexpr bool contains(KeyGroup group) const { return first <= group && group <= last; }
  constexpr bool overlaps(const KeyGroupRange& other) const {
    return first <= other.last && other.first <= last;
  }
  constexpr std::uint32_t size() const { return last.value - first.value + 1; }

  friend constexpr auto operator<=>(const KeyGroupRange&, const KeyGroupRange&) = default;
};

// Over how many Subtasks how many KeyGroups are dealt: 1 <= parallelism <= max_parallelism.
struct Scale {
  std::uint32_t parallelism;
  std::uint32_t max_parallelism;
  friend constexpr auto operator<=>(const Scale&, const Scale&) = default;
};

// The KeyGroup of a key whose serialised bytes hash to `key_hash`: its low 32 bits decide.
constexpr KeyGroup key_group_of(std::uint64_t key_hash, std::uint32_t max_parallelism) {
  return {static_cast<std::uint32_t>(key_hash) % max_parallelism};
}

// The KeyGroups that a Subtask owns. The ranges of all Subtasks cover every KeyGroup once, in
// order.
//
//   Source  Flink: KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex
KeyGroupRange key_groups_of(SubtaskIndex subtask, const Scale& scale);

// The Subtask that owns a KeyGroup: the inverse of key_groups_of().
SubtaskIndex subtask_of(KeyGroup group, const Scale& scale);

// The Subtasks that own a run of keys, by their hashes; `subtasks` has room for as many.
void subtasks_of(std::span<const std::uint64_t> key_hashes, const Scale& scale,
                 std::uint16_t* subtasks);

// The max_parallelism of an operator whose user named none: the power of two from 1.5 times the
// parallelism up, at least 128 and at most 32768.
std::uint32_t default_max_parallelism(std::uint32_t parallelism);

}  // namespace weir
