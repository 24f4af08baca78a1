#pragma once

#include <string>
#include <utility>

#include "weir/base/bytes.h"
#include "weir/base/result.h"
#include "weir/types/container_serializer.h"
#include "weir/types/record_serializer.h"
#include "weir/types/scalar_serializer.h"
#include "weir/types/serializer_traits.h"
#include "weir/types/tuple_serializer.h"

// A value as bytes, and back.
//
// Any type made of numbers, bools, enums, strings, weir::Text, optional, pair, tuple, vector,
// array, map, variant and plain aggregates is Serializable; nobody writes code for it. For parts of
// a larger whole use Serializer<T> with a ByteWriter or ByteReader; for one value the functions
// below.
//
//   Shape   docs/formats/records.md
//   Errors  reading: bytes that no value has, or too many of them (kCorrupt), whatever they are; no
//           more memory is taken than a fixed multiple of the bytes there are. Writing throws
//           std::length_error for a value over a limit: records nested deeper than kMaxNesting,
//           more than kMaxEmptyElements elements of no bytes
//   Thread  no state

namespace weir {

namespace internal {
template <class T>
struct IsText : std::is_same<T, Text> {};
}  // namespace internal

// Whether a value of T holds views of bytes that must be kept alive: a Text, at any depth.
template <class T>
inline constexpr bool kHasText = internal::any_within<internal::IsText, T>();

template <class T>
void serialize_into(Bytes& out, const T& value) {
  require_serializable<T>();
  if constexpr (Serializable<T>) {
    ByteWriter writer(out);
    Serializer<T>::write(writer, value);
  }
}

template <class T>
Bytes serialize(const T& value) {
  Bytes out;
  serialize_into(out, value);
  return out;
}

// Assigns to `out`, which keeps its capacity; after an error it holds any valid value. All bytes
// must be used. Texts in it point into `bytes`.
template <class T>
Status deserialize_into(ByteView bytes, T& out) {
  require_serializable<T>();
  ByteReader reader(bytes);
  if constexpr (Serializable<T>) Serializer<T>::read(reader, out);
  return reader.finish("reading ", type_name<T>());
}

template <class T>
Result<T> deserialize(ByteView bytes) {
  T value{};
  WEIR_TRY(deserialize_into(bytes, value));
  return value;
}

template <class T>
Schema schema_of() {
  require_serializable<T>();
  if constexpr (Serializable<T>) return Serializer<T>::schema();
  return {};
}

}  // namespace weir
