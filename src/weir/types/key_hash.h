#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "weir/base/bytes.h"
#include "weir/base/checksum.h"
#include "weir/types/key_writers.h"
#include "weir/types/serializer.h"

// What a key is, for everything that partitions or looks up by key: its canonical bytes, and their
// hash. Keys are the same where their canonical bytes are.
//
//   Shape   the bytes of docs/formats/records.md, but every -0.0 as 0.0 and every NaN as the one
//           quiet NaN; the hash is XXH3-64 with seed 0 over them, the same on every machine and
//           build
//   Errors  as in serializer.h
//   Thread  no state
//   Source  design of Flink's KeyGroupRangeAssignment, with another hash; golden values in the test

namespace weir {

namespace internal {
template <class T>
struct IsMap : std::bool_constant<MapLike<T>> {};

// std::string and Text: by far the most frequent keys of no fixed size.
template <class K>
concept TextKey = std::is_same_v<K, std::string> || std::is_same_v<K, Text>;
inline std::string_view view_of(const std::string& text) { return text; }
inline std::string_view view_of(Text text) { return text.view(); }

template <class K>
constexpr bool is_short() {
  return kFixedSize<K>.has_value() && kFixedSize<K>.value_or(0) <= kWordsSize;
}
}  // namespace internal

// What can be a key: whatever can be serialised, without maps, whose order is not that of the keys'
// equality.
template <class K>
concept Key = Serializable<K> && !internal::any_within<internal::IsMap, K>();

// The canonical bytes of a key.
template <Key K>
void write_key(ByteWriter& writer, const K& key) {
  internal::KeyWriter raw(writer.grow(serialized_size(key)));
  Serializer<K>::write(raw, key);
}
// The same for a key of fixed size, to memory that has room for it.
template <Key K>
requires(kFixedSize<K>.has_value())
    [[gnu::always_inline]] inline void write_fixed_key(const K& key, std::byte* to) {
  internal::KeyWriter raw(to);
  Serializer<K>::write(raw, key);
}
template <Key K>
Bytes key_bytes(const K& key) {
  Bytes bytes;
  ByteWriter writer(bytes);
  write_key(writer, key);
  return bytes;
}

// The hash of the key that has these canonical bytes.
inline std::uint64_t hash_key_bytes(ByteView bytes) {
  if (bytes.size() > internal::kWordsSize) return checksum(bytes);
  return internal::hash_words(internal::load_words(bytes.data(), bytes.size()), bytes.size());
}

namespace internal {

// The canonical bytes of a key of at most 16 in registers.
template <Key K>
requires(is_short<K>()) [[gnu::always_inline]] inline Words words_of(const K& key) {
  WordsWriter writer;
  Serializer<K>::write(writer, key);
  return writer.words();
}

// Keys of up to so many bytes are laid out on the stack to be hashed, longer ones on the heap.
inline constexpr std::size_t kKeyStackBytes = 256;

// Calls use(bytes) with the canonical bytes of a key.
template <Key K, class Use>
auto with_key_bytes(const K& key, Use use) {
  const auto size = serialized_size(key);
  if (size <= kKeyStackBytes) {
    std::array<std::byte, kKeyStackBytes> room;
    KeyWriter writer(room.data());
    Serializer<K>::write(writer, key);
    return use(ByteView(room.data(), size));
  }
  return use(ByteView(key_bytes(key)));
}

// The length is one byte in front of the text: the text moves up by one in the registers.
inline std::uint64_t hash_short_text(std::string_view text) {
  const auto words = load_words(bytes_of(text).data(), text.size());
  return hash_words({text.size() | words.low << 8, words.low >> 56 | words.high << 8},
                    text.size() + 1);
}

}  // namespace internal

// The hash by which keys are assigned to key groups and found in state.
template <Key K>
[[gnu::always_inline]] inline std::uint64_t hash_key(const K& key) {
  if constexpr (internal::is_short<K>()) {
    return internal::hash_words(internal::words_of(key), *kFixedSize<K>);
  } else {
    if constexpr (internal::TextKey<K>) {
      const auto text = internal::view_of(key);
      if (text.size() < internal::kWordsSize) return internal::hash_short_text(text);
    }
    return internal::with_key_bytes(key, hash_key_bytes);
  }
}

// The hashes of many keys, for a loop that the compiler can overlap; `out` has room for all.
template <Key K>
void hash_keys(std::span<const K> keys, std::uint64_t* out) {
  for (std::size_t i = 0; i != keys.size(); ++i) out[i] = hash_key(keys[i]);
}

// Whether two keys are one: their canonical bytes are equal. Unlike == it holds for NaN and itself.
template <Key K>
bool same_key(const K& a, const K& b) {
  if constexpr (internal::is_short<K>()) {
    return internal::words_of(a) == internal::words_of(b);
  } else if constexpr (internal::TextKey<K>) {
    return a == b;
  } else {
    return internal::with_key_bytes(a, [&](ByteView bytes_a) {
      return internal::with_key_bytes(
          b, [&](ByteView bytes_b) { return text_of(bytes_a) == text_of(bytes_b); });
    });
  }
}

}  // namespace weir
