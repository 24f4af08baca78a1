#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "weir/base/error_exception.h"
#include "weir/operators/api/operator_context.h"
#include "weir/state/api/keyed_table.h"
#include "weir/state/api/table_descriptor.h"
#include "weir/types/key_hash.h"
#include "weir/types/serializer.h"

namespace weir::operators {

// How values of V lie in a table.
template <Serializable V>
state::ValueType value_type_of() {
  static_assert(!kHasText<V>,
                "a state's value must own its bytes: use std::string in place of weir::Text");
  state::ValueType type{
      .size = sizeof(V), .alignment = alignof(V), .is_flat = std::is_trivially_copyable_v<V>};
  type.is_plain_bytes = kMemoryIsLayout<V>;
  if constexpr (Record<V>) {
    if (Serializer<V>::memory_follows_header()) {
      type.is_plain_bytes = true;
      type.plain_header = std::byte{kRecordLayoutVersion};
    }
  }
  type.construct = [](void* at) { ::new (at) V{}; };
  type.write = [](const void* value, ByteWriter& out) {
    Serializer<V>::write(out, *static_cast<const V*>(value));
  };
  type.read = [](ByteReader& in, void* value) {
    return Serializer<V>::read(in, *static_cast<V*>(value));
  };
  if constexpr (!std::is_trivially_copyable_v<V>) {
    type.destroy = [](void* at) noexcept { static_cast<V*>(at)->~V(); };
    type.relocate = [](void* from, void* to) noexcept {
      ::new (to) V(std::move(*static_cast<V*>(from)));
      static_cast<V*>(from)->~V();
    };
    type.heap_bytes = [](const void* value) {
      return serialized_size(*static_cast<const V*>(value));
    };
  }
  return type;
}

template <Key K>
state::KeyLayout key_layout_of() {
  if constexpr (kFixedSize<K>.has_value()) {
    return state::KeyLayout::fixed(static_cast<std::uint32_t>(*kFixedSize<K>));
  } else {
    return state::KeyLayout::variable();
  }
}

// Declares the state of that name in the operator's keyed state.
template <Key K, Serializable V>
Result<state::KeyedTable*> open_table(OperatorContext& context, const std::string& name) {
  state::TableDescriptor descriptor{.schema = {.state_name = name,
                                               .key = key_layout_of<K>(),
                                               .key_schema = schema_bytes(schema_of<K>()),
                                               .namespace_schema = {},
                                               .value_schema = schema_bytes(schema_of<V>())},
                                    .value = value_type_of<V>()};
  return context.keyed->table(descriptor);
}

// After a table gave fewer places than it was asked for: returns where a snapshot has no room at
// the moment, and throws where it is for good.
inline void throw_if_failed(const state::KeyedTable& table) {
  if (auto error = table.error(); !error) throw ErrorException{error.error()};
}

}  // namespace weir::operators
