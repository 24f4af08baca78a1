#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "weir/base/bytes.h"
#include "weir/state/api/key_block.h"
#include "weir/state/heap/internal/segment_store.h"

namespace weir::state::heap {

// Some entries from the front of a table, copied out so that the table may change under whoever
// works through them, block after block.
//
//   Shape   a block lives until the next copy()
//   Thread  the Subtask's
class FirstEntries {
 public:
  // An entry has come that lies there: the search begins no later.
  void note(Position position) { first_word_ = std::min(first_word_, position.word()); }
  KeyBlock copy(SegmentStore& store);

 private:
  void copy_slot(const SlotLayout& layout, const std::byte* slot);

  std::uint64_t first_word_ = 0;  // nothing lies before it
  std::uint32_t count_ = 0;
  std::array<std::uint64_t, kKeyBlock> hashes_;
  std::array<std::size_t, kKeyBlock + 1> begins_;  // of the keys, and the end of the last one
  std::array<std::string_view, kKeyBlock> views_;
  Bytes keys_;
  Bytes namespaces_;
};

}  // namespace weir::state::heap
