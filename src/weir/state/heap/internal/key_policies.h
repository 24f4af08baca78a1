#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "weir/state/api/key_block.h"
#include "weir/state/heap/internal/inline_key.h"

namespace weir::state::heap {

// How keys of one layout are compared with slots and written to them. A policy sees the block once,
// in begin(), then is asked key by key.
//
//   Shape   is_at(slot, i): the i-th key of the block is the one that lies at `slot`

template <class Word>
class WordKeys {
 public:
  static constexpr bool kIsVariable = false;
  explicit WordKeys(std::uint32_t) {}
  void begin(const KeyBlock& block) { keys_ = block.fixed; }
  bool is_at(const std::byte* slot, std::uint32_t i) const {
    Word wanted, found;
    std::memcpy(&wanted, keys_ + std::size_t{i} * sizeof(Word), sizeof(Word));
    std::memcpy(&found, slot, sizeof(Word));
    return wanted == found;
  }
  void write(std::byte* slot, std::uint32_t i) const {
    std::memcpy(slot, keys_ + std::size_t{i} * sizeof(Word), sizeof(Word));
  }

 private:
  const std::byte* keys_ = nullptr;
};

struct TwoWords {
  std::uint64_t first, second;
  friend bool operator==(const TwoWords& a, const TwoWords& b) {
    return ((a.first ^ b.first) | (a.second ^ b.second)) == 0;
  }
};

using FourByteKeys = WordKeys<std::uint32_t>;
using EightByteKeys = WordKeys<std::uint64_t>;
using SixteenByteKeys = WordKeys<TwoWords>;

class FixedKeys {
 public:
  static constexpr bool kIsVariable = false;
  explicit FixedKeys(std::uint32_t key_bytes) : key_bytes_(key_bytes) {}
  void begin(const KeyBlock& block) { keys_ = block.fixed; }
  bool is_at(const std::byte* slot, std::uint32_t i) const {
    return std::memcmp(slot, keys_ + std::size_t{i} * key_bytes_, key_bytes_) == 0;
  }
  void write(std::byte* slot, std::uint32_t i) const {
    std::memcpy(slot, keys_ + std::size_t{i} * key_bytes_, key_bytes_);
  }

 private:
  const std::uint32_t key_bytes_;
  const std::byte* keys_ = nullptr;
};

class VariableKeys {
 public:
  static constexpr bool kIsVariable = true;
  explicit VariableKeys(std::uint32_t) {}
  void begin(const KeyBlock& block) {
    for (std::uint32_t i = 0; i != block.count; ++i) keys_[i] = InlineKey::of(block.variable[i]);
  }
  bool is_at(const std::byte* slot, std::uint32_t i) const {
    return keys_[i].equals(InlineKey::at(slot));
  }
  const InlineKey& key(std::uint32_t i) const { return keys_[i]; }

 private:
  std::array<InlineKey, kKeyBlock> keys_;
};

}  // namespace weir::state::heap
