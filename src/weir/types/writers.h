#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "weir/base/bytes.h"

namespace weir {

// Records nested deeper than this in a value are refused at reading and at writing, so that a
// recursive type cannot exhaust the stack.
inline constexpr unsigned kMaxNesting = 64;

// Something that takes the bytes of a value in order: ByteWriter, or one of the two below.
template <class W>
concept Writer = requires(W& writer, std::span<const std::int32_t> numbers, ByteView bytes) {
  writer.number(std::int64_t{});
  writer.numbers(numbers);
  writer.leb128(std::uint64_t{});
  writer.raw(bytes);
  writer.text(std::string_view{});
};

namespace internal {
[[noreturn]] void throw_too_deep(std::string_view type);
[[noreturn]] void throw_too_many_empty(std::string_view type, std::size_t count);
}  // namespace internal

// Counts the bytes that a value will have. Every value of no fixed size is counted before it is
// written, so that the writing itself needs no check of room or of depth.
class SizeWriter {
 public:
  template <class Number>
  constexpr void number(Number) {
    size_ += sizeof(Number);
  }
  template <class Number>
  constexpr void numbers(std::span<const Number> values) {
    size_ += values.size_bytes();
  }
  constexpr void leb128(std::uint64_t value) { size_ += leb128_size(value); }
  constexpr void raw(ByteView bytes) { size_ += bytes.size(); }
  constexpr void text(std::string_view text) { size_ += leb128_size(text.size()) + text.size(); }

  // Around the fields of each record. Throws std::length_error below kMaxNesting.
  void descend(std::string_view record) {
    if (++depth_ > kMaxNesting) [[unlikely]]
      internal::throw_too_deep(record);
  }
  void ascend() { --depth_; }

  constexpr std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  unsigned depth_ = 0;
};

// Writes to memory that is known to be large enough.
class RawWriter {
 public:
  explicit RawWriter(std::byte* at) : at_(at) {}

  template <class Number>
  void number(Number value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  template <class Number>
  void numbers(std::span<const Number> values) {
    raw(std::as_bytes(values));
  }
  void leb128(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<std::byte>(value | 0x80);
    *at_++ = static_cast<std::byte>(value);
  }
  void raw(ByteView bytes) {
    if (bytes.empty()) return;
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }
  void text(std::string_view text) {
    leb128(text.size());
    raw(bytes_of(text));
  }

 private:
  std::byte* at_;
};

}  // namespace weir
