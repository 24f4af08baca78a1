#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "weir/types/reflection.h"
#include "weir/types/serializer_traits.h"

namespace weir {

// The one layout of records there is; the header byte of every record says so.
inline constexpr std::uint8_t kRecordLayoutVersion = 0;

namespace internal {
template <class T>
inline constexpr char kTypeTag = 0;

template <class T>
constexpr auto field_types() {
  return []<std::size_t... I>(std::index_sequence<I...>) { return TypeList<FieldType<T, I>...>{}; }
  (std::make_index_sequence<field_count<T>()>{});
}
}  // namespace internal

// A header byte, the layout version; then the fields in order.
template <Record T>
struct Serializer<T> {
  using Parts = decltype(internal::field_types<T>());

  template <Writer W>
  static constexpr void write(W& writer, const T& value) {
    if constexpr (std::is_same_v<W, ByteWriter>) {
      internal::write_at_once(writer, value);
    } else {
      writer.number(kRecordLayoutVersion);
      if constexpr (std::is_same_v<W, SizeWriter>) writer.descend(type_name<T>());
      for_each_field(
          value, [&]<class Field>(const Field& field) { Serializer<Field>::write(writer, field); });
      if constexpr (std::is_same_v<W, SizeWriter>) writer.ascend();
    }
  }

  static bool read(ByteReader& reader, T& out) {
    if (reader.number<std::uint8_t>() != kRecordLayoutVersion) {
      reader.fail("a record has a layout version that is not known");
    }
    if (!reader.ok()) return false;
    if constexpr (kFixedSize<T>) {
      return read_fields(reader, out);
    } else {
      const bool whole = reader.descend(kMaxNesting) && read_fields(reader, out);
      if (whole) reader.ascend();
      return whole;
    }
  }

  static Schema schema(const EnclosingRecords& above = {}) {
    const std::string name(short_type_name<T>());
    std::uint64_t between = 0;
    for (auto* record = &above; record->type != nullptr; record = record->outer, ++between) {
      if (record->type == &internal::kTypeTag<T>) {
        return {.kind = Schema::Kind::kBackReference, .name = name, .count = between};
      }
    }
    const auto fields = field_names<T>();
    return {.kind = Schema::Kind::kRecord,
            .name = name,
            .field_names = {fields.begin(), fields.end()},
            .parts = field_schemas({.type = &internal::kTypeTag<T>, .outer = &above})};
  }

  static constexpr std::optional<std::size_t> fixed_size() {
    if (const auto fields = internal::fixed_size_of_all(Parts{})) return 1 + *fields;
    return std::nullopt;
  }
  static constexpr std::size_t min_size() { return 1 + internal::min_size_of_all(Parts{}); }
  // Behind the header byte lie the bytes of the object in memory.
  static constexpr bool memory_follows_header() {
    return []<class... Field>(TypeList<Field...>) {
      return std::is_trivially_copyable_v<T> && (kMemoryIsLayout<Field> && ...) &&
             (std::size_t{0} + ... + sizeof(Field)) == sizeof(T);
    }(Parts{});
  }

 private:
  static bool read_fields(ByteReader& reader, T& out) {
    return std::apply(
        [&]<class... Field>(Field&... field) {
          return (Serializer<Field>::read(reader, field) && ...);
        },
        tie_fields(out));
  }

  static std::vector<Schema> field_schemas(const EnclosingRecords& here) {
    return [&]<class... Field>(TypeList<Field...>) {
      return std::vector<Schema>{Serializer<Field>::schema(here)...};
    }(Parts{});
  }
};

}  // namespace weir
