#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace weir {

// What WEIR_FIELDS says about a type: names and pointers to members, in the order of the bytes.
template <class... Members>
struct FieldList {
  std::array<std::string_view, sizeof...(Members)> names;
  std::tuple<Members...> members;
};

namespace internal {
// "a, b" taken apart. The preprocessor has brought the white space into order.
template <std::size_t kCount>
constexpr std::array<std::string_view, kCount> split_names(std::string_view list) {
  std::array<std::string_view, kCount> names;
  for (auto& name : names) {
    const auto end = list.find(',');
    name = list.substr(0, end);
    while (name.ends_with(' ')) name.remove_suffix(1);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    while (list.starts_with(' ')) list.remove_prefix(1);
  }
  return names;
}

template <class... Members>
constexpr FieldList<Members...> make_field_list(std::string_view names, Members... members) {
  return {split_names<sizeof...(Members)>(names), {members...}};
}
}  // namespace internal

}  // namespace weir

// Makes a record of a type that is no plain aggregate (it has constructors, a base class): the
// named members, inherited ones too, are its fields, in this order. At namespace scope, in the
// namespace of the type and before its first use; the members are accessible from there.
//
//   WEIR_FIELDS(Order, id, items, total)
#define WEIR_FIELDS(T, ...)                                                               \
  [[maybe_unused]] constexpr auto weir_field_list(const T*) {                             \
    return ::weir::internal::make_field_list(#__VA_ARGS__ WEIR_MEMBERS_(T, __VA_ARGS__)); \
  }

// , &T::a, &T::b: a macro cannot call itself, but each round of WEIR_SCAN_ expands one more step.
#define WEIR_MEMBERS_(T, ...) __VA_OPT__(WEIR_SCAN_(WEIR_MEMBER_(T, __VA_ARGS__)))
#define WEIR_MEMBER_(T, first, ...) \
  , &T::first __VA_OPT__(WEIR_MEMBER_AGAIN_ WEIR_PARENTHESES_(T, __VA_ARGS__))
#define WEIR_MEMBER_AGAIN_() WEIR_MEMBER_
#define WEIR_PARENTHESES_ ()
#define WEIR_SCAN_(...) WEIR_SCAN3_(WEIR_SCAN3_(WEIR_SCAN3_(WEIR_SCAN3_(__VA_ARGS__))))
#define WEIR_SCAN3_(...) WEIR_SCAN2_(WEIR_SCAN2_(WEIR_SCAN2_(WEIR_SCAN2_(__VA_ARGS__))))
#define WEIR_SCAN2_(...) WEIR_SCAN1_(WEIR_SCAN1_(WEIR_SCAN1_(WEIR_SCAN1_(__VA_ARGS__))))
#define WEIR_SCAN1_(...) __VA_ARGS__
