#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weir/types/internal/short_hash.h"
#include "weir/types/writers.h"

namespace weir {

namespace internal {
template <class Bits>
constexpr Bits canonical_bits(Bits bits, Bits infinity, Bits nan) {
  const Bits magnitude = static_cast<Bits>(bits << 1) >> 1;
  if (magnitude > infinity) return nan;
  return magnitude == 0 ? 0 : bits;
}
}  // namespace internal

// Numbers as they are in keys: equal ones have equal bits. -0.0 is 0.0 and every NaN is the quiet
// one without sign and payload. By the bits, so that no compiler option about floating point
// changes it.
template <class Number>
constexpr Number canonical(Number value) {
  if constexpr (std::is_same_v<Number, float>) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>(internal::canonical_bits(bits, 0x7f800000U, 0x7fc00000U));
  } else if constexpr (std::is_same_v<Number, double>) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<double>(
        internal::canonical_bits<std::uint64_t>(bits, 0x7ff0000000000000, 0x7ff8000000000000));
  } else {
    return value;
  }
}

namespace internal {

// A RawWriter whose numbers are canonical.
class KeyWriter : public RawWriter {
 public:
  using RawWriter::RawWriter;

  template <class Number>
  void number(Number value) {
    RawWriter::number(canonical(value));
  }
  template <class Number>
  void numbers(std::span<const Number> values) {
    if constexpr (std::is_floating_point_v<Number>) {
      for (const auto value : values) number(value);
    } else {
      RawWriter::numbers(values);
    }
  }
};

// Collects the bytes of a key of at most kWordsSize bytes in two registers.
class WordsWriter {
 public:
  template <class Number>
  [[gnu::always_inline]] constexpr void number(Number value) {
    append(bits_of(canonical(value)), sizeof value);
  }
  template <class Number>
  [[gnu::always_inline]] constexpr void numbers(std::span<const Number> values) {
    for (const auto value : values) number(value);
  }
  // A key of fixed size has neither lengths nor texts; these are here to make a Writer.
  void leb128(std::uint64_t) { WEIR_CHECK(false); }
  void raw(ByteView) { WEIR_CHECK(false); }
  void text(std::string_view) { WEIR_CHECK(false); }

  constexpr Words words() const { return words_; }

 private:
  template <class Number>
  [[gnu::always_inline]] static constexpr std::uint64_t bits_of(Number value) {
    if constexpr (std::is_same_v<Number, float>) {
      return std::bit_cast<std::uint32_t>(value);
    } else if constexpr (std::is_same_v<Number, double>) {
      return std::bit_cast<std::uint64_t>(value);
    } else if constexpr (std::is_enum_v<Number>) {
      return bits_of(static_cast<std::underlying_type_t<Number>>(value));
    } else if constexpr (std::is_same_v<Number, bool>) {
      return value;
    } else {
      return static_cast<std::make_unsigned_t<Number>>(value);
    }
  }

  [[gnu::always_inline]] constexpr void append(std::uint64_t bits, std::size_t size) {
    if (size_ == 0) {
      words_.low = bits;
    } else if (size_ < 8) {
      words_.low |= bits << 8 * size_;
      words_.high = bits >> 8 * (8 - size_);
    } else {
      words_.high |= bits << 8 * (size_ - 8);
    }
    size_ += size;
  }

  Words words_;
  std::size_t size_ = 0;
};

}  // namespace internal

}  // namespace weir
