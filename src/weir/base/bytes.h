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
//   Shape   numbers little endian and unpadded; lengths and counts as unsigned LEB128
//   Errors  none
//   Thread  one at a time
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void number(Number value) { std::memcpy(grow(sizeof value), &value, sizeof value); }
  // Numbers one after the other, in one copy.
  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void numbers(std::span<const Number> values) { raw(std::as_bytes(values)); }
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

  // Makes the buffer longer by `size` bytes and returns where they begin, for a caller that knows
  // how much it will write. Valid until the next call.
  std::byte* grow(std::size_t size) {
    const auto at = out_.size();
    out_.resize(at + size);
    return out_.data() + at;
  }

  std::size_t size() const { return out_.size(); }
  Bytes& buffer() { return out_; }

 private:
  Bytes& out_;
};

namespace internal {
// bool, or an enum that stands on it: the only numbers of which some bit patterns are no value.
template <class Number>
constexpr bool is_bool_like() {
  if constexpr (std::is_enum_v<Number>) {
    return std::is_same_v<std::underlying_type_t<Number>, bool>;
  } else {
    return std::is_same_v<Number, bool>;
  }
}
}  // namespace internal

// How many bytes ByteWriter::leb128 writes.
constexpr std::size_t leb128_size(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Reads what a ByteWriter wrote, from bytes that may be hostile.
//
// The first read that fails makes the reader fail for good: later reads give zeros and ok() says
// so, so that a caller may read a whole record and ask once. Nothing is ever read beyond the end.
// Every value has one encoding only: a bool other than 0 and 1 and a LEB128 with needless bytes
// fail.
//
//   Errors  ok() and finish() say so
//   Thread  one at a time
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()), failed_at_(begin_) {}

  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number> Number number() {
    Number value{};
    if (remaining() < sizeof value) [[unlikely]] {
      fail();
      return value;
    }
    if constexpr (internal::is_bool_like<Number>()) {
      if (static_cast<unsigned char>(*at_) > 1) [[unlikely]] {
        fail("a flag is neither 0 nor 1");
        return value;
      }
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  // Fills `values` in one copy; leaves them alone, and fails, where there are too few bytes.
  template <class Number>
  requires(std::is_arithmetic_v<Number> ||
           std::is_enum_v<Number>) bool numbers(std::span<Number> values) {
    static_assert(!internal::is_bool_like<Number>(), "each of them has to be looked at");
    const auto bytes = raw(values.size_bytes());
    if (!ok()) return false;
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return true;
  }
  std::uint64_t leb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<std::uint8_t>();
      // The tenth byte holds one bit only; anything else would not fit in 64.
      if (shift == 63 && byte > 1) break;
      if (shift != 0 && byte == 0) break;  // A needless byte, or the bytes have ended.
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a length or count is no LEB128 number of 64 bits in its shortest form");
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

  // Goes down one level of nesting; fails, and returns false, below `limit` levels. ascend() comes
  // after each descend() that returned true.
  bool descend(unsigned limit) {
    if (depth_ >= limit) [[unlikely]] {
      fail("values are nested too deeply");
      return false;
    }
    ++depth_;
    return true;
  }
  void ascend() { --depth_; }

  // `why` outlives the reader: a literal. The first failure is the one that is remembered.
  void fail(const char* why = "the bytes end too early") {
    if (why_ == nullptr) {
      why_ = why;
      failed_at_ = at_;
    }
    at_ = end_;
  }
  bool ok() const { return why_ == nullptr; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  // How many bytes have been read; after a failure, where it was noticed.
  std::size_t position() const {
    return static_cast<std::size_t>((ok() ? at_ : failed_at_) - begin_);
  }
  // Ends the reading: an error where it has failed or where bytes are left over.
  // finish("reading a ", "Schema") says "reading a Schema: the bytes end too early, at byte 17 of
  // 17".
  Status finish(std::string_view doing, std::string_view what = {}) const;

 private:
  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  const std::byte* failed_at_;
  const char* why_ = nullptr;
  unsigned depth_ = 0;
};

}  // namespace weir
