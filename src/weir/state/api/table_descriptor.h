#pragma once

#include <cstdint>
#include <string>

#include "weir/base/bytes.h"
#include "weir/state/api/value_type.h"

namespace weir::state {

// How keys of one type lie in a KeyBlock and in files.
struct KeyLayout {
  // Of every key; 0 where the size differs from key to key.
  std::uint32_t fixed_bytes = 0;

  static constexpr KeyLayout fixed(std::uint32_t bytes) { return {bytes}; }
  static constexpr KeyLayout variable() { return {0}; }
  constexpr bool is_fixed() const { return fixed_bytes != 0; }

  friend constexpr bool operator==(KeyLayout, KeyLayout) = default;
};

inline constexpr std::uint32_t kFixedKeyBytesMax = 1024;
inline constexpr std::uint32_t kNamespaceBytesMax = 64;

// What is known of a table apart from its entries, as it travels with a snapshot. Schemas are the
// bytes that types/schema.h writes; a restore compares them (SchemaCheck).
struct TableSchema {
  std::string state_name;
  KeyLayout key;
  std::uint32_t namespace_bytes = 0;  // of every entry; 0 for state without namespaces
  Bytes key_schema;
  Bytes namespace_schema;
  Bytes value_schema;

  friend bool operator==(const TableSchema&, const TableSchema&) = default;
};

// One kind of keyed state, as an operator declares it.
struct TableDescriptor {
  TableSchema schema;
  ValueType value;
};

}  // namespace weir::state
