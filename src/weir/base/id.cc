#include "weir/base/id.h"

#include <cstring>

namespace weir {
namespace {

std::string hex_of(const std::array<std::uint8_t, 16>& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(32);
  for (const auto byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::array<std::uint8_t, 16>> bytes_of(std::string_view hex) {
  const Error malformed{
      Code::kInvalid, "reading an id: want 32 hexadecimal digits, got '" + std::string(hex) + "'"};
  if (hex.size() != 32) return malformed;
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i != 16; ++i) {
    const int high = digit_of(hex[2 * i]);
    const int low = digit_of(hex[2 * i + 1]);
    if (high < 0 || low < 0) return malformed;
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return bytes;
}

std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

std::uint64_t finish(std::uint64_t k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdULL;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53ULL;
  return k ^ k >> 33;
}

std::uint64_t load(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

}  // namespace

template <class Meaning>
std::string WideId<Meaning>::to_hex() const {
  return hex_of(bytes);
}

template <class Meaning>
Result<WideId<Meaning>> WideId<Meaning>::from_hex(std::string_view hex) {
  WEIR_ASSIGN(const auto bytes, bytes_of(hex));
  return WideId{bytes};
}

template struct WideId<JobMeaning>;
template struct WideId<OperatorMeaning>;

// Source: MurmurHash3_x64_128 (Austin Appleby, public domain), as Guava's murmur3_128 with seed 0.
OperatorId operator_id_of(std::string_view uid) {
  constexpr std::uint64_t kC1 = 0x87c37b91114253d5ULL;
  constexpr std::uint64_t kC2 = 0x4cf5ad432745937fULL;
  const auto mix1 = [](std::uint64_t k) { return rotate(k * kC1, 31) * kC2; };
  const auto mix2 = [](std::uint64_t k) { return rotate(k * kC2, 33) * kC1; };
  std::uint64_t h1 = 0;
  std::uint64_t h2 = 0;
  const char* at = uid.data();
  std::size_t left = uid.size();
  for (; left >= 16; at += 16, left -= 16) {
    h1 = (rotate(h1 ^ mix1(load(at, 8)), 27) + h2) * 5 + 0x52dce729;
    h2 = (rotate(h2 ^ mix2(load(at + 8, 8)), 31) + h1) * 5 + 0x38495ab5;
  }
  if (left > 8) h2 ^= mix2(load(at + 8, left - 8));
  if (left > 0) h1 ^= mix1(load(at, left < 8 ? left : 8));
  h1 ^= uid.size();
  h2 ^= uid.size();
  h1 += h2;
  h2 += h1;
  h1 = finish(h1);
  h2 = finish(h2);
  h1 += h2;
  h2 += h1;
  OperatorId id;
  std::memcpy(id.bytes.data(), &h1, 8);
  std::memcpy(id.bytes.data() + 8, &h2, 8);
  return id;
}

JobId make_job_id(std::int64_t unix_ms, std::uint64_t random_high, std::uint64_t random_low) {
  JobId id;
  for (std::size_t i = 0; i != 6; ++i)
    id.bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(unix_ms) >> (40 - 8 * i));
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | (random_high & 0x0f));
  id.bytes[7] = static_cast<std::uint8_t>(random_high >> 8);
  for (std::size_t i = 0; i != 8; ++i)
    id.bytes[8 + i] = static_cast<std::uint8_t>(random_low >> (56 - 8 * i));
  id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3f));
  return id;
}

}  // namespace weir
