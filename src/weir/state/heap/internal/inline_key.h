#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace weir::state::heap {

// A key of variable size as it lies in a slot: up to 12 bytes in place, longer ones as their first
// four bytes and a pointer, so that nearly every comparison is decided without following it.
//
//   Shape   16 bytes: length (32 bits) and the first four bytes; then the next eight, padded with
//           zeros, or the pointer to all bytes, which whoever keeps the slot owns
struct InlineKey {
  static constexpr std::size_t kInlineBytes = 12;

  std::uint64_t head = 0;
  std::uint64_t tail = 0;

  // A view on `bytes`: a long key points to them.
  static InlineKey of(std::string_view bytes) {
    const auto length = static_cast<std::uint32_t>(bytes.size());
    if (length > kInlineBytes) {
      return {length | std::uint64_t{load<std::uint32_t>(bytes.data())} << 32,
              std::bit_cast<std::uint64_t>(bytes.data())};
    }
    char padded[kInlineBytes] = {};
    copy_short(padded, bytes.data(), length);
    return {length | std::uint64_t{load<std::uint32_t>(padded)} << 32,
            load<std::uint64_t>(padded + 4)};
  }

  std::uint32_t length() const { return static_cast<std::uint32_t>(head); }
  bool is_long() const { return length() > kInlineBytes; }
  const char* pointer() const { return std::bit_cast<const char*>(tail); }

  // The bytes of the key that lies at `slot`; valid while the slot is.
  static std::string_view view(const std::byte* slot) {
    const auto key = at(slot);
    if (key.is_long()) return {key.pointer(), key.length()};
    return {reinterpret_cast<const char*>(slot) + 4, key.length()};
  }
  static InlineKey at(const std::byte* slot) { return load<InlineKey>(slot); }

  bool equals(const InlineKey& other) const {
    if (head != other.head) return false;
    if (tail == other.tail) return true;
    return is_long() && std::memcmp(pointer(), other.pointer(), length()) == 0;
  }

 private:
  template <class T>
  static T load(const void* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  // At most 12 bytes, by overlapping copies of fixed sizes.
  static void copy_short(char* to, const char* from, std::uint32_t length) {
    if (length >= 8) {
      std::memcpy(to, from, 8);
      if (length > 8) {
        const std::uint64_t last = load<std::uint64_t>(from + length - 8) >> 8 * (16 - length);
        std::memcpy(to + 8, &last, 4);
      }
    } else if (length >= 4) {
      const auto last = load<std::uint32_t>(from + length - 4);
      std::memcpy(to + length - 4, &last, 4);
      std::memcpy(to, from, 4);
    } else if (length > 0) {
      to[0] = from[0];
      to[length / 2] = from[length / 2];
      to[length - 1] = from[length - 1];
    }
  }
};
static_assert(sizeof(InlineKey) == 16);

}  // namespace weir::state::heap
