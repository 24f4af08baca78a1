#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>

#include "weir/types/internal/plain_aggregate.h"

// The name of the I-th field of an aggregate, which Boost.PFR 1.81 does not give. The address of a
// field of an object that is never defined is a valid template argument; the compiler spells it
// out, with the field's name last, in the name of a function that has it as a parameter.
namespace weir::internal {

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

template <class T>
struct NeverDefined {
  T value;
};
template <class T>
extern const NeverDefined<T> never_defined;

template <class Pointer>
struct FieldAddress {
  Pointer pointer;
};
template <class Pointer>
FieldAddress(Pointer) -> FieldAddress<Pointer>;

template <class T, std::size_t I>
constexpr auto field_address() {
  return FieldAddress{&std::get<I>(tie_aggregate(const_cast<T&>(never_defined<T>.value)))};
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

template <auto kAddress>
consteval auto spelled_field() {
  return __PRETTY_FUNCTION__;
}

constexpr bool is_identifier_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// g++ ends "...{(& never_defined<T>.NeverDefined<T>::value.T::name)}]", clang
// "...{&never_defined.value.name}]": the name is the last identifier.
constexpr std::string_view last_identifier(std::string_view text) {
  while (!text.empty() && !is_identifier_character(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && is_identifier_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

template <class T, std::size_t I>
consteval std::string_view aggregate_field_name() {
  return last_identifier(spelled_field<field_address<T, I>()>());
}

}  // namespace weir::internal
