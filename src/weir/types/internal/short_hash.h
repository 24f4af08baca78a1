#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "weir/base/bytes.h"

// XXH3-64 with seed 0 of at most 16 bytes, inline and in registers. The library's own is a call
// that looks at the length anew for every key; here the length of most keys is known to the
// compiler.
//
//   Source  xxhash 0.8.1, XXH3_len_0to16_64b; a test compares the results with the library's
namespace weir::internal {

// Up to 16 bytes, the first one lowest; zero behind the last.
struct Words {
  std::uint64_t low = 0;   // bytes 0 .. 7
  std::uint64_t high = 0;  // bytes 8 .. 15

  friend constexpr bool operator==(const Words&, const Words&) = default;
};
inline constexpr std::size_t kWordsSize = 16;

// The bits that XXH3 mixes in: pairs of words of its default secret, exclusive-or.
inline constexpr std::uint64_t kFlip0 = 0x8726f9105dc21ddc;          // secret bytes 56.. and 64..
inline constexpr std::uint64_t kFlip1to3 = 0x87275a9b;               // 0.. and 4.., 32 bits
inline constexpr std::uint64_t kFlip4to8 = 0xc73ab174c5ecd5a2;       // 8.. and 16..
inline constexpr std::uint64_t kFlip9to16Low = 0x6782737bea4239b9;   // 24.. and 32..
inline constexpr std::uint64_t kFlip9to16High = 0xaf56bc3b0996523a;  // 40.. and 48..

constexpr std::uint64_t xxh64_avalanche(std::uint64_t h) {
  h = (h ^ h >> 33) * 0xc2b2ae3d27d4eb4f;
  h = (h ^ h >> 29) * 0x165667b19e3779f9;
  return h ^ h >> 32;
}

constexpr std::uint64_t hash_1to3(std::uint64_t low, std::size_t size) {
  const auto byte = [&](std::size_t i) { return low >> 8 * i & 0xff; };
  const std::uint64_t mixed = byte(0) << 16 | byte(size / 2) << 24 | byte(size - 1) | size << 8;
  return xxh64_avalanche(mixed ^ kFlip1to3);
}

constexpr std::uint64_t hash_4to8(std::uint64_t low, std::size_t size) {
  const std::uint64_t last_four = low >> 8 * (size - 4) & 0xffffffff;
  std::uint64_t h = (last_four | low << 32) ^ kFlip4to8;
  h ^= std::rotl(h, 49) ^ std::rotl(h, 24);
  h *= 0x9fb21c651e98df25;
  h = (h ^ ((h >> 35) + size)) * 0x9fb21c651e98df25;
  return h ^ h >> 28;
}

constexpr std::uint64_t hash_9to16(Words words, std::size_t size) {
  __extension__ using Wide = unsigned __int128;
  const auto last_eight = static_cast<std::uint64_t>(
      (static_cast<Wide>(words.high) << 64 | words.low) >> 8 * (size - 8));
  const std::uint64_t a = words.low ^ kFlip9to16Low;
  const std::uint64_t b = last_eight ^ kFlip9to16High;
  const auto product = static_cast<Wide>(a) * b;
  const auto folded =
      static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  std::uint64_t h = size + __builtin_bswap64(a) + b + folded;
  h = (h ^ h >> 37) * 0x165667919e3779f9;
  return h ^ h >> 32;
}

constexpr std::uint64_t hash_words(Words words, std::size_t size) {
  if (size > 8) return hash_9to16(words, size);
  if (size >= 4) return hash_4to8(words.low, size);
  if (size > 0) return hash_1to3(words.low, size);
  return xxh64_avalanche(kFlip0);
}

template <class Number>
std::uint64_t load(const std::byte* at) {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Up to 8 bytes from memory, without a loop: two loads that overlap.
inline std::uint64_t load_up_to_8(const std::byte* at, std::size_t size) {
  if (size >= 4) {
    const auto shift = 8 * (size - 4);
    return load<std::uint32_t>(at) | load<std::uint32_t>(at + size - 4) << shift;
  }
  if (size == 0) return 0;
  return load<std::uint8_t>(at) | load<std::uint8_t>(at + size / 2) << 8 * (size / 2) |
         load<std::uint8_t>(at + size - 1) << 8 * (size - 1);
}

// Up to 16 bytes from memory.
inline Words load_words(const std::byte* at, std::size_t size) {
  if (size <= 8) return {load_up_to_8(at, size), 0};
  return {load<std::uint64_t>(at), load_up_to_8(at + 8, size - 8)};
}

}  // namespace weir::internal
