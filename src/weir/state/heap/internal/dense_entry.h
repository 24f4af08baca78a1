#pragma once

#include <memory>

#include "weir/base/bytes.h"
#include "weir/state/api/staged_block.h"
#include "weir/state/heap/internal/position.h"
#include "weir/state/heap/internal/slot_layout.h"

namespace weir::state::heap {

// Entries in the dense form of docs/formats/keyed_state.md.
void append_dense_key(const SlotLayout& layout, std::byte* slot, Bytes& out);
void append_dense_entry(const SlotLayout& layout, std::byte* slot, Bytes& out);

// In which order the entries of a block were saved.
enum class Order : std::uint8_t {
  kNone,        // as writes met them
  kBySegments,  // by segments in order of position, as a walk meets them; none within a segment
};
// For entries that were saved as whole slots, all of them of `key_groups`.
std::shared_ptr<const BlockEncoder> raw_encoder(const SlotLayout& layout,
                                                std::uint32_t max_parallelism,
                                                KeyGroupRange key_groups, Order order);
// For entries that were saved in the dense form already: finds how many there are and of which key
// groups.
std::shared_ptr<const BlockEncoder> dense_encoder(KeyLayout key, std::uint32_t namespace_bytes,
                                                  BlockKind kind, std::uint32_t max_parallelism);

}  // namespace weir::state::heap
