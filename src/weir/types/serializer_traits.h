#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "weir/base/bytes.h"
#include "weir/types/schema.h"
#include "weir/types/writers.h"

namespace weir {

// Types as a value.
template <class... Types>
struct TypeList {};

// The records around a place in a Schema that is being made; how a recursive record finds itself.
struct EnclosingRecords {
  const void* type = nullptr;  // the address that stands for the record's type
  const EnclosingRecords* outer = nullptr;
};

namespace internal {
template <class T>
struct CannotBeSerialised {
  static_assert(
      sizeof(std::remove_reference_t<T>*) == 0,
      "weir: this type T cannot be serialised. Numbers (no long double), bool, enums, "
      "std::string, weir::Text, and optional, pair, tuple, vector, array, map, variant of "
      "such can; so can plain aggregates of such without base classes, C arrays, "
      "references and const fields; for other classes write WEIR_FIELDS(T, a, b). "
      "Pointers never can.");
};
}  // namespace internal

// How values of T become bytes and come back. Static functions only; one specialisation per kind of
// type, in *_serializer.h. A specialisation for a type of one's own has
//
//   template <Writer W> static void write(W&, const T&)
//       The same bytes into every kind of Writer: one only counts them, and comes first.
//   static bool read(ByteReader&, T&)
//       Assigns into a value that exists and keeps its capacity. False where the reader failed; the
//       value is then any valid one.
//   static Schema schema(const EnclosingRecords& = {})
//
// and, where it has something to say,
//
//   using Parts = TypeList<...>
//       The types whose serializers it calls.
//   static constexpr std::optional<std::size_t> fixed_size()
//   static constexpr std::size_t min_size()
//   static constexpr bool memory_is_layout()
//       See kFixedSize, kMinSize, kMemoryIsLayout below.
//
// This, the general template, is for the types that cannot be serialised.
template <class T>
struct Serializer {
  static constexpr bool kUnknown = true;

  template <class W>
  static void write(W&, const T&) {
    complain();
  }
  static bool read(ByteReader&, T&) { return complain(); }
  static Schema schema(const EnclosingRecords& = {}) { return complain(), Schema{}; }

 private:
  static constexpr bool complain() { return sizeof(internal::CannotBeSerialised<T>) == 0; }
};

namespace internal {

template <class T>
constexpr auto parts_of() {
  if constexpr (requires { typename Serializer<T>::Parts; }) {
    return typename Serializer<T>::Parts{};
  } else {
    return TypeList<>{};
  }
}

// Whether a property holds for T or for any type within it. A type that contains itself is asked
// once: `Above` are the types that are being asked.
template <template <class> class Property, class T, class... Above>
constexpr bool any_within() {
  if constexpr ((std::is_same_v<T, Above> || ...)) {
    return false;
  } else if constexpr (Property<T>::value) {
    return true;
  } else {
    return []<class... Part>(TypeList<Part...>) {
      return (any_within<Property, Part, T, Above...>() || ...);
    }(parts_of<T>());
  }
}

template <class T>
    struct IsUnknown : std::bool_constant < requires {
  Serializer<T>::kUnknown;
} > {};

}  // namespace internal

// Whether T and everything within it can be serialised.
template <class T>
concept Serializable = std::is_object_v<T> && !internal::any_within<internal::IsUnknown, T>();

namespace internal {
template <class T, class... Above>
constexpr bool complain_within() {
  if constexpr ((std::is_same_v<T, Above> || ...)) {
    return false;
  } else if constexpr (!std::is_object_v<T> || IsUnknown<T>::value) {
    return sizeof(CannotBeSerialised<T>) == 0;
  } else {
    return []<class... Part>(TypeList<Part...>) {
      return (complain_within<Part, T, Above...>() || ...);
    }(parts_of<T>());
  }
}
}  // namespace internal

// The same for the edge of an API: where T cannot be serialised the compilation ends in an error
// that names the type within T that is to blame. What follows it is best under `if constexpr
// (Serializable<T>)`, so that it is the only error.
template <class T>
constexpr void require_serializable() {
  if constexpr (!Serializable<T>) internal::complain_within<T>();
}

// The number of bytes of every value of T, if it is the same for all.
template <class T>
constexpr std::optional<std::size_t> fixed_size_of() {
  if constexpr (requires { Serializer<T>::fixed_size(); }) {
    return Serializer<T>::fixed_size();
  } else {
    return std::nullopt;
  }
}
template <class T>
inline constexpr std::optional<std::size_t> kFixedSize = fixed_size_of<T>();

// No value of T has fewer bytes.
template <class T>
constexpr std::size_t min_size_of() {
  if constexpr (requires { Serializer<T>::min_size(); }) {
    return Serializer<T>::min_size();
  } else {
    return kFixedSize<T>.value_or(0);
  }
}
template <class T>
inline constexpr std::size_t kMinSize = min_size_of<T>();

// The bytes of a value are those of the object in memory: an array of T is one copy.
template <class T>
constexpr bool memory_is_layout_of() {
  if constexpr (requires { Serializer<T>::memory_is_layout(); }) {
    return Serializer<T>::memory_is_layout();
  } else {
    return false;
  }
}
template <class T>
inline constexpr bool kMemoryIsLayout = memory_is_layout_of<T>();

// How many bytes `value` will have.
template <class T>
constexpr std::size_t serialized_size(const T& value) {
  if constexpr (kFixedSize<T>) {
    return *kFixedSize<T>;
  } else {
    SizeWriter size;
    Serializer<T>::write(size, value);
    return size.size();
  }
}

namespace internal {
// Counts first, then writes: how a ByteWriter is given a value of several parts.
template <class T>
void write_at_once(ByteWriter& writer, const T& value) {
  RawWriter raw(writer.grow(serialized_size(value)));
  Serializer<T>::write(raw, value);
}

// Sums over the parts, for types that are their parts one after the other.
template <class... Parts>
constexpr std::optional<std::size_t> fixed_size_of_all(TypeList<Parts...>) {
  if constexpr ((kFixedSize<Parts>.has_value() && ...)) {
    return (std::size_t{0} + ... + *kFixedSize<Parts>);
  } else {
    return std::nullopt;
  }
}
template <class... Parts>
constexpr std::size_t min_size_of_all(TypeList<Parts...>) {
  return (std::size_t{0} + ... + kMinSize<Parts>);
}
}  // namespace internal

}  // namespace weir
