#pragma once

#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "weir/types/serializer_traits.h"

namespace weir {

namespace internal {
// pair and tuple: their parts one after the other, with nothing around them.
template <class T, class... Types>
struct TupleSerializer {
  using Parts = TypeList<Types...>;

  template <Writer W>
  static constexpr void write(W& writer, const T& value) {
    if constexpr (std::is_same_v<W, ByteWriter> && sizeof...(Types) != 0) {
      write_at_once(writer, value);
    } else {
      std::apply([&](const auto&... part) { (Serializer<Types>::write(writer, part), ...); },
                 value);
    }
  }
  static bool read(ByteReader& reader, T& out) {
    return std::apply([&](auto&... part) { return (Serializer<Types>::read(reader, part) && ...); },
                      out);
  }
  static Schema schema(const EnclosingRecords& above = {}) {
    return {.kind = Schema::Kind::kTuple, .parts = {Serializer<Types>::schema(above)...}};
  }
  static constexpr std::optional<std::size_t> fixed_size() { return fixed_size_of_all(Parts{}); }
  static constexpr std::size_t min_size() { return min_size_of_all(Parts{}); }
};
}  // namespace internal

template <class First, class Second>
struct Serializer<std::pair<First, Second>>
    : internal::TupleSerializer<std::pair<First, Second>, First, Second> {};

template <class... Types>
struct Serializer<std::tuple<Types...>>
    : internal::TupleSerializer<std::tuple<Types...>, Types...> {};

// The elements, without a count: it is part of the type.
template <class T, std::size_t kCount>
struct Serializer<std::array<T, kCount>> {
  using Array = std::array<T, kCount>;
  using Parts = TypeList<T>;

  template <Writer W>
  static constexpr void write(W& writer, const Array& value) {
    if constexpr (kMemoryIsLayout<T> && !std::is_array_v<T> && std::is_scalar_v<T>) {
      writer.numbers(std::span<const T>(value));
    } else if constexpr (std::is_same_v<W, ByteWriter>) {
      internal::write_at_once(writer, value);
    } else {
      for (const auto& element : value) Serializer<T>::write(writer, element);
    }
  }
  static bool read(ByteReader& reader, Array& out) {
    if constexpr (kMemoryIsLayout<T> && std::is_scalar_v<T>) {
      return reader.numbers(std::span<T>(out));
    } else {
      for (auto& element : out) {
        if (!Serializer<T>::read(reader, element)) return false;
      }
      return reader.ok();
    }
  }
  static Schema schema(const EnclosingRecords& above = {}) {
    return {.kind = Schema::Kind::kArray, .count = kCount, .parts = {Serializer<T>::schema(above)}};
  }
  static constexpr std::optional<std::size_t> fixed_size() {
    if constexpr (kFixedSize<T>) return *kFixedSize<T> * kCount;
    return std::nullopt;
  }
  static constexpr std::size_t min_size() { return kMinSize<T> * kCount; }
  static constexpr bool memory_is_layout() { return kMemoryIsLayout<T> && kCount != 0; }
};

}  // namespace weir
