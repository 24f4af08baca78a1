#pragma once

#include <boost/pfr/tuple_size.hpp>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

// Which aggregates can be taken apart field by field, decided without a hard error for the others.
namespace weir::internal {

// Turns into any field at all, in a test whether an initialiser list would compile. Never called;
// clang wants a body where the field's type is local to a file.
template <std::size_t>
struct AnyField {
  template <class Field>
  operator Field&() const&& noexcept {
    __builtin_unreachable();
  }
  template <class Field>
  operator Field&() const& noexcept {
    __builtin_unreachable();
  }
};

// Turns into base classes of T only.
template <class T>
struct AnyBase {
  template <class Base>
  requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) operator Base() const {
    __builtin_unreachable();
  }
};

template <class T>
concept HasBase = requires {
  T{AnyBase<T>{}};
};

template <class T, std::size_t... kBefore, std::size_t... kAfter>
constexpr bool takes_two_at(std::index_sequence<kBefore...>, std::index_sequence<kAfter...>) {
  return requires {
    T{AnyField<kBefore>{}..., {AnyField<0>{}, AnyField<0>{}}, AnyField<kAfter>{}...};
  };
}

// An array among the fields takes several initialisers of the flat list. In braces at its place
// they leave less room after them than at the place of any other field, which takes one.
template <class T, std::size_t kAt, std::size_t kFlat>
constexpr bool is_array_at() {
  if constexpr (kAt + 2 > kFlat) {
    return false;
  } else {
    using Before = std::make_index_sequence<kAt>;
    return takes_two_at<T>(Before{}, std::index_sequence<>{}) &&
           !takes_two_at<T>(Before{}, std::make_index_sequence<kFlat - kAt - 1>{});
  }
}

template <class T>
constexpr bool has_array_field() {
  constexpr std::size_t kFlat = boost::pfr::tuple_size_v<T>;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (is_array_at<T, I, kFlat>() || ...);
  }
  (std::make_index_sequence<kFlat>{});
}

// pair, tuple and array: taken apart by index, they have no field names.
template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};

// Default-constructible excludes references among the fields.
template <class T>
concept PlainAggregate =
    std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> &&
    std::is_default_constructible_v<T> && !TupleLike<T> && !HasBase<T> && !has_array_field<T>();

}  // namespace weir::internal
