#pragma once

#include <string>
#include <type_traits>

#include "weir/types/serializer_traits.h"
#include "weir/types/text.h"
#include "weir/types/type_name.h"

namespace weir {

namespace internal {
template <class T>
concept Number = std::is_arithmetic_v<T> && std::is_same_v<T, std::remove_cv_t<T>> &&
                 sizeof(T) <= 8;
template <class T>
concept Enum = std::is_enum_v<T> && std::is_same_v<T, std::remove_cv_t<T>>;

// Only size and sign count: long and long long are one kind. A char is an int8 on every machine.
template <Number T>
constexpr Schema::Kind kind_of() {
  using Kind = Schema::Kind;
  if constexpr (std::is_same_v<T, bool>) return Kind::kBool;
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? Kind::kFloat32 : Kind::kFloat64;
  }
  constexpr bool is_signed = std::is_signed_v<T> || std::is_same_v<T, char>;
  switch (sizeof(T)) {
    case 1:
      return is_signed ? Kind::kInt8 : Kind::kUint8;
    case 2:
      return is_signed ? Kind::kInt16 : Kind::kUint16;
    case 4:
      return is_signed ? Kind::kInt32 : Kind::kUint32;
    default:
      return is_signed ? Kind::kInt64 : Kind::kUint64;
  }
}
}  // namespace internal

// Numbers, little endian, as wide as they are. A bool is one byte, 0 or 1.
template <internal::Number T>
struct Serializer<T> {
  template <Writer W>
  static constexpr void write(W& writer, T value) {
    writer.number(value);
  }
  static bool read(ByteReader& reader, T& out) {
    out = reader.number<T>();
    return reader.ok();
  }
  static Schema schema(const EnclosingRecords& = {}) { return {.kind = internal::kind_of<T>()}; }
  static constexpr std::optional<std::size_t> fixed_size() { return sizeof(T); }
  static constexpr bool memory_is_layout() { return !std::is_same_v<T, bool>; }
};

// Enums as their underlying type, and with any value of it.
template <internal::Enum T>
struct Serializer<T> {
  using Underlying = std::underlying_type_t<T>;

  template <Writer W>
  static constexpr void write(W& writer, T value) {
    writer.number(static_cast<Underlying>(value));
  }
  static bool read(ByteReader& reader, T& out) {
    out = static_cast<T>(reader.number<Underlying>());
    return reader.ok();
  }
  static Schema schema(const EnclosingRecords& = {}) {
    return {.kind = Schema::Kind::kEnum,
            .name = std::string(short_type_name<T>()),
            .parts = {Serializer<Underlying>::schema()}};
  }
  static constexpr std::optional<std::size_t> fixed_size() { return sizeof(T); }
  static constexpr bool memory_is_layout() { return !std::is_same_v<Underlying, bool>; }
};

// A length, then the bytes.
template <>
struct Serializer<std::string> {
  template <Writer W>
  static constexpr void write(W& writer, const std::string& value) {
    writer.text(value);
  }
  static bool read(ByteReader& reader, std::string& out) {
    out.assign(reader.text());
    return reader.ok();
  }
  static Schema schema(const EnclosingRecords& = {}) { return {.kind = Schema::Kind::kString}; }
  static constexpr std::size_t min_size() { return 1; }
};

// As a std::string. What is read points into the reader's bytes, and these must outlive it: who
// deserialises a batch keeps the frame it came in as the batch's byte column.
template <>
struct Serializer<Text> {
  template <Writer W>
  static constexpr void write(W& writer, Text value) {
    writer.text(value.view());
  }
  static bool read(ByteReader& reader, Text& out) {
    const auto size = reader.leb128();
    if (size > Text::kMaxSize) reader.fail("a text is longer than 4 GiB");
    out = Text(text_of(reader.raw(reader.ok() ? size : 0)));
    return reader.ok();
  }
  static Schema schema(const EnclosingRecords& = {}) { return {.kind = Schema::Kind::kString}; }
  static constexpr std::size_t min_size() { return 1; }
};

}  // namespace weir
