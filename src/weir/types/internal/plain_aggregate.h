#pragma once

#include <boost/pfr/core.hpp>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

// Which aggregates can be taken apart field by field, and into how many, decided without a hard
// error for the others.
//
// The counting is ours, for that of Boost.PFR 1.81 does not survive a std::tuple as the first field
// or (in g++ 12) an array of structs with default values; the taking apart is Boost.PFR's.
namespace weir::internal {

// What the library can take apart.
inline constexpr std::size_t kMaxFields = 100;

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

// Turns into numbers, enums and pointers only.
struct AnyScalar {
  template <class Field>
  requires std::is_scalar_v<Field>
  operator Field&() const noexcept { __builtin_unreachable(); }
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

template <class T, std::size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires { T{AnyField<I>{}...}; };
}

// How many initialisers T takes, if it is between two numbers; an array takes one per element.
template <class T, std::size_t kTaken, std::size_t kTooMany>
constexpr std::size_t count_between() {
  if constexpr (kTaken + 1 == kTooMany) {
    return kTaken;
  } else {
    constexpr auto kMiddle = (kTaken + kTooMany) / 2;
    if constexpr (takes_fields<T>(std::make_index_sequence<kMiddle>{})) {
      return count_between<T, kMiddle, kTooMany>();
    } else {
      return count_between<T, kTaken, kMiddle>();
    }
  }
}
// In steps of double width, for most records are small; more than kMaxFields are not told apart.
template <class T, std::size_t kTaken = 0, std::size_t kNext = 4>
constexpr std::size_t count_initialisers() {
  if constexpr (kTaken > kMaxFields) {
    return kTaken;
  } else if constexpr (takes_fields<T>(std::make_index_sequence<kNext>{})) {
    return count_initialisers<T, kNext, kNext * 2>();
  } else {
    return count_between<T, kTaken, kNext>();
  }
}
template <class T>
inline constexpr std::size_t kInitialisers = count_initialisers<T>();

template <class T, std::size_t... kBefore, std::size_t... kAfter>
constexpr bool takes_two_at(std::index_sequence<kBefore...>, std::index_sequence<kAfter...>) {
  return requires { T{AnyField<kBefore>{}..., {AnyScalar{}, AnyScalar{}}, AnyField<kAfter>{}...}; };
}

// An array among the fields takes several initialisers of the flat list. In braces at its place
// they leave less room after them than at the place of any other field, which takes one.
template <class T, std::size_t kAt>
constexpr bool is_array_at() {
  constexpr auto kAfter = kInitialisers<T> - kAt - 1;
  if constexpr (kAfter == 0) {
    return false;
  } else {
    using Before = std::make_index_sequence<kAt>;
    return takes_two_at<T>(Before{}, std::index_sequence<>{}) &&
           !takes_two_at<T>(Before{}, std::make_index_sequence<kAfter>{});
  }
}

// Whether there is a field that is an array of scalars; of other arrays the compiler complains
// later.
template <class T>
constexpr bool has_array_field() {
  return []<std::size_t... I>(std::index_sequence<I...>) { return (is_array_at<T, I>() || ...); }
  (std::make_index_sequence<kInitialisers<T>>{});
}

// pair, tuple and array: taken apart by index, they have no field names.
template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};

// Default-constructible excludes references among the fields, copyable what AnyField cannot become.
template <class T>
concept ReadableAggregate = std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_const_v<T> &&
                            !std::is_volatile_v<T> && std::is_default_constructible_v<T> &&
                            std::is_copy_constructible_v<T> && !TupleLike<T> && !HasBase<T>;

// A count that is too small does not compile in tie_aggregate; a wrong 0 would go unnoticed there.
template <class T>
concept PlainAggregate = ReadableAggregate<T> &&
                         (kInitialisers<T> != 0 ||
                          std::is_empty_v<T>)&&(kInitialisers<T> <= kMaxFields) &&
                         !has_array_field<T>();

// The fields of a PlainAggregate as a tuple of references.
template <class T>
constexpr auto tie_aggregate(T& aggregate) {
  constexpr auto kCount = kInitialisers<std::remove_const_t<T>>;
  if constexpr (kCount == 0) {
    return std::tuple<>{};
  } else {
    const auto fields =
        boost::pfr::detail::tie_as_tuple(aggregate, boost::pfr::detail::size_t_<kCount>{});
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tie(boost::pfr::detail::sequence_tuple::get<I>(fields)...);
    }
    (std::make_index_sequence<kCount>{});
  }
}

}  // namespace weir::internal
