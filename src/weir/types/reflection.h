#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weir/types/fields_macro.h"
#include "weir/types/internal/field_name.h"
#include "weir/types/internal/plain_aggregate.h"
#include "weir/types/type_name.h"

namespace weir {

namespace internal {
template <class T>
concept HasFieldList = requires(const T* t) {
  weir_field_list(t);
};
}  // namespace internal

// A type whose fields are known by number, name and type: a plain aggregate, without any help from
// its author, or a type named in WEIR_FIELDS (fields_macro.h), which has the last word.
//
//   Shape   fields are numbered from 0 in the order of their declaration, or of WEIR_FIELDS
//   Errors  no record, unless WEIR_FIELDS says so: aggregates with base classes, with C arrays or
//           references among the fields, without default or copy constructor, of more than 100
//           fields. Bit-fields do not compile
//   Source  Boost.PFR 1.81 takes aggregates apart; the names are ours (internal/field_name.h)
template <class T>
concept Record = std::is_class_v<T> && !std::is_const_v<T> &&
                 (internal::HasFieldList<T> || internal::PlainAggregate<T>);

template <Record T>
constexpr std::size_t field_count() {
  if constexpr (internal::HasFieldList<T>) {
    return weir_field_list(static_cast<const T*>(nullptr)).names.size();
  } else {
    return internal::kInitialisers<T>;
  }
}

template <Record T>
constexpr std::array<std::string_view, field_count<T>()> field_names() {
  if constexpr (internal::HasFieldList<T>) {
    return weir_field_list(static_cast<const T*>(nullptr)).names;
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<std::string_view, sizeof...(I)>{internal::aggregate_field_name<T, I>()...};
    }
    (std::make_index_sequence<field_count<T>()>{});
  }
}

// References to all fields, as a std::tuple.
template <class T>
requires Record<std::remove_const_t<T>>
constexpr auto tie_fields(T& record) {
  using Plain = std::remove_const_t<T>;
  if constexpr (internal::HasFieldList<Plain>) {
    constexpr auto list = weir_field_list(static_cast<const Plain*>(nullptr));
    return std::apply([&](auto... member) { return std::tie(record.*member...); }, list.members);
  } else {
    return internal::tie_aggregate(record);
  }
}

// Calls f(field) for every field in order.
template <class T, class F>
constexpr void for_each_field(T& record, F&& f) {
  std::apply([&](auto&... field) { (static_cast<void>(f(field)), ...); }, tie_fields(record));
}

// Calls f(index, field) for every field in order; the index is a std::integral_constant.
template <class T, class F>
constexpr void for_each_indexed_field(T& record, F&& f) {
  const auto fields = tie_fields(record);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (static_cast<void>(f(std::integral_constant<std::size_t, I>{}, std::get<I>(fields))), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(fields)>>{});
}

template <Record T, std::size_t I>
using FieldType =
    std::remove_reference_t<std::tuple_element_t<I, decltype(tie_fields(std::declval<T&>()))>>;

// The name of the field that a pointer to member means, for plans and messages; empty where it is
// no field of T.
template <Record T, class Field>
std::string_view field_name_of(Field T::*member) {
  const T probe{};
  const void* const wanted = &(probe.*member);
  std::string_view name;
  for_each_indexed_field(probe, [&](auto index, const auto& field) {
    const bool same_type = std::is_same_v<std::remove_cvref_t<decltype(field)>, Field>;
    if (same_type && &field == wanted) name = field_names<T>()[index];
  });
  return name;
}

}  // namespace weir
