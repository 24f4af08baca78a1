#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "weir/base/bytes.h"
#include "weir/state/api/table_descriptor.h"
#include "weir/state/heap/internal/inline_key.h"

namespace weir::state::heap {

// Where key, namespace and value lie in a slot, and what can be said of them without knowing their
// types.
//
//   Shape   key first, namespace right behind it, value at its natural alignment. A flat value
//           above kBoxedBytesMin bytes lies elsewhere and the slot holds the pointer
struct SlotLayout {
  enum class Keys : std::uint8_t { kFour, kEight, kSixteen, kFixed, kVariable };
  static constexpr std::uint32_t kBoxedBytesMin = 1024;

  static SlotLayout of(const TableDescriptor& descriptor);

  Keys keys = Keys::kEight;
  bool is_boxed = false;
  std::uint32_t key_bytes = 0;  // in the slot
  std::uint32_t namespace_bytes = 0;
  std::uint32_t value_at = 0;
  std::uint32_t stride = 0;
  ValueType value;

  std::size_t segment_bytes() const;
  // Snapshots copy the whole slot, to be made dense later.
  bool is_saved_raw() const { return keys != Keys::kVariable && value.is_flat && !is_boxed; }
  // Moving the slot's bytes moves the entry.
  bool is_moved_as_bytes() const { return value.is_flat || is_boxed; }
  // Forgetting the slot needs no more than forgetting its bytes.
  bool owns_nothing() const { return is_saved_raw(); }

  void* value_of(std::byte* slot) const {
    std::byte* at = slot + value_at;
    if (!is_boxed) return at;
    void* box;
    std::memcpy(&box, at, sizeof box);
    return box;
  }
  std::string_view key_of(const std::byte* slot) const {
    if (keys == Keys::kVariable) return InlineKey::view(slot);
    return {reinterpret_cast<const char*>(slot), key_bytes};
  }
  ByteView namespace_of(const std::byte* slot) const { return {slot + key_bytes, namespace_bytes}; }

  // The key's hash, its upper half mixed with the namespace: what decides where the entry lies.
  std::uint64_t placing_hash_of(const std::byte* slot) const;
  // The key's hash alone.
  std::uint64_t key_hash_of(const std::byte* slot) const;
};

// What a namespace adds to the hash of a key: nothing to the lower half, which decides the key
// group.
std::uint64_t namespace_mix(const std::byte* bytes, std::uint32_t size);

}  // namespace weir::state::heap
