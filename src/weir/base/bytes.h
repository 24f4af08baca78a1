#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "weir/base/result.h"

namespace weir {

static_assert(std::endian::native == std::endian::little,
              "the formats are little endian and copied as they lie");

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

inline ByteView bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Appends to a buffer of its caller.
//
//   Shape  numbers little endian and unpadded; lengths and counts as unsigned LEB128
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void number(Number value) {
    const auto at = out_.size();
    out_.resize(at + sizeof value);
    std::memcpy(out_.data() + at, &value, sizeof value);
  }
  void leb128(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<std::byte>(value | 0x80));
    out_.push_back(static_cast<std::byte>(value));
  }
  void raw(ByteView bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  // A length, then the bytes.
  void text(std::string_view text) {
    leb128(text.size());
    raw(bytes_of(text));
  }

  std::size_t size() const { return out_.size(); }
  Bytes& buffer() { return out_; }

 private:
  Bytes& out_;
};

// Reads what a ByteWriter wrote, from bytes that may be hostile.
//
// The first read that fails makes the reader fail for good: later reads give zeros and ok() says
// so, so that a caller may read a whole record and ask once. Nothing is ever read beyond the end.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number> Number number() {
    Number value{};
    if (remaining() < sizeof value) [[unlikely]] {
      fail();
      return value;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t leb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<std::uint8_t>();
      // The tenth byte holds one bit only; anything else would not fit in 64.
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  // The next `size` bytes, in place; empty and failed where there are fewer.
  ByteView raw(std::uint64_t size) {
    if (remaining() < size) [[unlikely]] {
      fail();
      return {};
    }
    const ByteView view{at_, static_cast<std::size_t>(size)};
    at_ += size;
    return view;
  }
  std::string_view text() { return text_of(raw(leb128())); }

  void fail() {
    failed_ = true;
    at_ = end_;
  }
  bool ok() const { return !failed_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool failed_ = false;
};

}  // namespace weir
