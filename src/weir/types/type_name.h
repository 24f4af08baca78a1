#pragma once

#include <string_view>

namespace weir {

namespace internal {
template <class T>
consteval auto spelled_type() {
  return __PRETTY_FUNCTION__;
}
// Both compilers end with "[with T = int]" or "[T = int]".
constexpr std::string_view type_in(std::string_view function) {
  const auto begin = function.find("T = ") + 4;
  return function.substr(begin, function.size() - 1 - begin);
}
}  // namespace internal

// The name of a type as the compiler spells it: "shop::Order", "std::vector<int>". For people; it
// differs between compilers where templates or anonymous namespaces are involved.
template <class T>
constexpr std::string_view type_name() {
  return internal::type_in(internal::spelled_type<T>());
}

// The same without the namespaces in front: "Order".
template <class T>
constexpr std::string_view short_type_name() {
  const auto name = type_name<T>();
  const auto end = name.find('<');
  const auto colon = name.substr(0, end).rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

}  // namespace weir
