#include "weir/state/heap/internal/slot_layout.h"

#include <algorithm>

#include "weir/base/checksum.h"
#include "weir/state/heap/internal/segment.h"
#include "weir/types/key_hash.h"

namespace weir::state::heap {
namespace {

std::uint32_t round_up(std::uint32_t n, std::uint32_t unit) { return (n + unit - 1) / unit * unit; }

SlotLayout::Keys kind_of(KeyLayout key) {
  switch (key.fixed_bytes) {
    case 0:
      return SlotLayout::Keys::kVariable;
    case 4:
      return SlotLayout::Keys::kFour;
    case 8:
      return SlotLayout::Keys::kEight;
    case 16:
      return SlotLayout::Keys::kSixteen;
    default:
      return SlotLayout::Keys::kFixed;
  }
}

std::uint32_t key_alignment(SlotLayout::Keys keys) {
  switch (keys) {
    case SlotLayout::Keys::kFour:
      return 4;
    case SlotLayout::Keys::kFixed:
      return 1;
    default:
      return 8;
  }
}

}  // namespace

SlotLayout SlotLayout::of(const TableDescriptor& descriptor) {
  SlotLayout layout;
  layout.value = descriptor.value;
  layout.keys = kind_of(descriptor.schema.key);
  layout.key_bytes = descriptor.schema.key.is_fixed() ? descriptor.schema.key.fixed_bytes
                                                      : std::uint32_t{sizeof(InlineKey)};
  layout.namespace_bytes = descriptor.schema.namespace_bytes;
  layout.is_boxed = layout.value.size > kBoxedBytesMin;
  const auto value_bytes = layout.is_boxed ? std::uint32_t{sizeof(void*)} : layout.value.size;
  const auto value_alignment =
      layout.is_boxed ? std::uint32_t{alignof(void*)} : layout.value.alignment;
  layout.value_at = round_up(layout.key_bytes + layout.namespace_bytes, value_alignment);
  layout.stride = round_up(layout.value_at + value_bytes,
                           std::max(value_alignment, key_alignment(layout.keys)));
  return layout;
}

std::size_t SlotLayout::segment_bytes() const {
  return sizeof(Segment) + std::size_t{kSlots} * stride;
}

std::uint64_t SlotLayout::key_hash_of(const std::byte* slot) const {
  switch (keys) {
    case Keys::kFour:
      return hash_key_bytes({slot, 4});
    case Keys::kEight:
      return hash_key_bytes({slot, 8});
    case Keys::kSixteen:
      return hash_key_bytes({slot, 16});
    case Keys::kFixed:
      return hash_key_bytes({slot, key_bytes});
    case Keys::kVariable:
      break;
  }
  return hash_key_bytes(bytes_of(InlineKey::view(slot)));
}

std::uint64_t SlotLayout::placing_hash_of(const std::byte* slot) const {
  const auto hash = key_hash_of(slot);
  if (namespace_bytes == 0) return hash;
  return hash ^ namespace_mix(slot + key_bytes, namespace_bytes);
}

std::uint64_t namespace_mix(const std::byte* bytes, std::uint32_t size) {
  return checksum({bytes, size}) & 0xffffffff00000000;
}

}  // namespace weir::state::heap
