#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "weir/types/serializer_traits.h"
#include "weir/types/type_name.h"

namespace weir {

// How many elements of no bytes at all (a vector<tuple<>>) a list or map may have: their number is
// not bounded by the bytes that are there.
inline constexpr std::size_t kMaxEmptyElements = 1024;
// How much memory a count that was read may reserve before the elements have been seen.
inline constexpr std::size_t kEagerReserveBytes = std::size_t{1} << 20;

namespace internal {
template <class W, class Element>
constexpr void write_count(W& writer, std::size_t count) {
  if constexpr (kMinSize<Element> == 0) {
    if (count > kMaxEmptyElements) throw_too_many_empty(type_name<Element>(), count);
  }
  writer.leb128(count);
}

// A count of elements of at least `min_size` bytes; 0 where the reader failed.
inline std::uint64_t read_count(ByteReader& reader, std::size_t min_size) {
  const auto count = reader.leb128();
  if (min_size == 0 ? count > kMaxEmptyElements : count > reader.remaining() / min_size) {
    reader.fail("a count is larger than the bytes or the limit allow");
    return 0;
  }
  return count;
}

template <class T>
concept MapLike = requires(T map, typename T::key_type key) {
  typename T::mapped_type;
  map.clear();
  { map.try_emplace(std::move(key)).second } -> std::convertible_to<bool>;
};
}  // namespace internal

// One byte, 0 or 1; after a 1 the value.
template <class T>
struct Serializer<std::optional<T>> {
  using Parts = TypeList<T>;

  template <Writer W>
  static constexpr void write(W& writer, const std::optional<T>& value) {
    writer.number(value.has_value());
    if (value) Serializer<T>::write(writer, *value);
  }
  static bool read(ByteReader& reader, std::optional<T>& out) {
    if (!reader.number<bool>()) {
      out.reset();
      return reader.ok();
    }
    if (!out) out.emplace();
    return Serializer<T>::read(reader, *out);
  }
  static Schema schema(const EnclosingRecords& above = {}) {
    return {.kind = Schema::Kind::kOptional, .parts = {Serializer<T>::schema(above)}};
  }
  static constexpr std::size_t min_size() { return 1; }
};

// A count, then the elements.
template <class T, class Allocator>
struct Serializer<std::vector<T, Allocator>> {
  using Vector = std::vector<T, Allocator>;
  using Parts = TypeList<T>;

  template <Writer W>
  static constexpr void write(W& writer, const Vector& value) {
    if constexpr (kOneCopy) {
      internal::write_count<W, T>(writer, value.size());
      writer.numbers(std::span<const T>(value));
    } else if constexpr (std::is_same_v<W, ByteWriter>) {
      internal::write_at_once(writer, value);
    } else {
      internal::write_count<W, T>(writer, value.size());
      for (const auto& element : value) Serializer<T>::write(writer, element);
    }
  }

  static bool read(ByteReader& reader, Vector& out) {
    const auto count = static_cast<std::size_t>(internal::read_count(reader, kMinSize<T>));
    if constexpr (kOneCopy) {
      out.resize(count);
      return reader.numbers(std::span<T>(out));
    } else if constexpr (std::is_same_v<T, bool>) {
      out.clear();
      for (std::size_t i = 0; reader.ok() && i != count; ++i) out.push_back(reader.number<bool>());
    } else {
      if (out.size() > count) out.resize(count);
      out.reserve(std::min(count, kEagerReserveBytes / sizeof(T)));
      for (auto& element : out) {
        if (!Serializer<T>::read(reader, element)) return false;
      }
      while (out.size() != count) {
        if (!Serializer<T>::read(reader, out.emplace_back())) return false;
      }
    }
    return reader.ok();
  }

  static Schema schema(const EnclosingRecords& above = {}) {
    return {.kind = Schema::Kind::kList, .parts = {Serializer<T>::schema(above)}};
  }
  static constexpr std::size_t min_size() { return 1; }

 private:
  static constexpr bool kOneCopy = kMemoryIsLayout<T> && std::is_scalar_v<T>;
};

// std::map, std::unordered_map and their like: a count, then keys and values in the order of the
// map. The order is not part of the format; a key that comes twice is an error.
template <internal::MapLike Map>
struct Serializer<Map> {
  using Key = typename Map::key_type;
  using Value = typename Map::mapped_type;
  using Parts = TypeList<Key, Value>;

  template <Writer W>
  static constexpr void write(W& writer, const Map& value) {
    if constexpr (std::is_same_v<W, ByteWriter>) {
      internal::write_at_once(writer, value);
    } else {
      internal::write_count<W, std::pair<Key, Value>>(writer, value.size());
      for (const auto& [key, mapped] : value) {
        Serializer<Key>::write(writer, key);
        Serializer<Value>::write(writer, mapped);
      }
    }
  }
  static bool read(ByteReader& reader, Map& out) {
    out.clear();
    auto left = internal::read_count(reader, kMinSize<Key> + kMinSize<Value>);
    for (; left != 0; --left) {
      Key key{};
      if (!Serializer<Key>::read(reader, key)) return false;
      const auto [entry, is_new] = out.try_emplace(std::move(key));
      if (!is_new) reader.fail("a key of a map comes twice");
      if (!Serializer<Value>::read(reader, entry->second)) return false;
    }
    return reader.ok();
  }
  static Schema schema(const EnclosingRecords& above = {}) {
    return {.kind = Schema::Kind::kMap,
            .parts = {Serializer<Key>::schema(above), Serializer<Value>::schema(above)}};
  }
  static constexpr std::size_t min_size() { return 1; }
};

// The index of the alternative, then the alternative. One that is valueless by exception is our
// bug.
template <class... Types>
struct Serializer<std::variant<Types...>> {
  using Variant = std::variant<Types...>;
  using Parts = TypeList<Types...>;

  template <Writer W>
  static constexpr void write(W& writer, const Variant& value) {
    WEIR_CHECK(!value.valueless_by_exception());
    if constexpr (std::is_same_v<W, ByteWriter>) {
      internal::write_at_once(writer, value);
    } else {
      writer.leb128(value.index());
      std::visit([&]<class T>(const T& held) { Serializer<T>::write(writer, held); }, value);
    }
  }
  static bool read(ByteReader& reader, Variant& out) {
    const auto index = reader.leb128();
    if (!reader.ok()) return false;
    if (index >= sizeof...(Types)) {
      reader.fail("a variant has no alternative of this index");
      return false;
    }
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((I == index && read_alternative<I>(reader, out)) || ...);
    }
    (std::index_sequence_for<Types...>{});
  }
  static Schema schema(const EnclosingRecords& above = {}) {
    return {.kind = Schema::Kind::kVariant, .parts = {Serializer<Types>::schema(above)...}};
  }
  static constexpr std::size_t min_size() { return 1; }

 private:
  template <std::size_t I>
  static bool read_alternative(ByteReader& reader, Variant& out) {
    if (out.index() != I) out.template emplace<I>();
    using Held = std::variant_alternative_t<I, Variant>;
    return Serializer<Held>::read(reader, *std::get_if<I>(&out));
  }
};

// Nothing.
template <>
struct Serializer<std::monostate> {
  template <Writer W>
  static constexpr void write(W&, std::monostate) {}
  static bool read(ByteReader& reader, std::monostate&) { return reader.ok(); }
  static Schema schema(const EnclosingRecords& = {}) { return {.kind = Schema::Kind::kTuple}; }
  static constexpr std::optional<std::size_t> fixed_size() { return 0; }
};

}  // namespace weir
