#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

#include "weir/types/reflection.h"
#include "weir/types/text.h"

namespace weir {

namespace readable {

template <class T>
inline constexpr bool kIsStringLike = std::is_same_v<T, std::string> || std::is_same_v<T, Text> ||
                                      std::is_same_v<T, std::string_view>;

inline std::string_view view_of(std::string_view text) { return text; }
inline std::string_view view_of(Text text) { return text.view(); }

// In double quotes; what would end them, and control characters, as in JSON.
void append_quoted(std::string& to, std::string_view text);

template <class T>
concept MapLike = requires(const T& t) {
  typename T::key_type;
  typename T::mapped_type;
  t.begin();
};
template <class T>
concept ListLike = requires(const T& t) {
  t.begin();
  t.end();
};
template <class T>
concept OptionalLike = requires(const T& t) {
  t.has_value();
  *t;
};
template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

template <class T>
void append_value(std::string& to, const T& value);

template <class Number>
void append_number(std::string& to, Number number) {
  std::array<char, 64> digits;
  to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

// Calls append(i-th) for each of a run, with ", " between.
class Separated {
 public:
  explicit Separated(std::string& to) : to_(to) {}
  std::string& next() {
    if (!std::exchange(is_first_, false)) to_ += ", ";
    return to_;
  }

 private:
  std::string& to_;
  bool is_first_ = true;
};

template <class T>
void append_record(std::string& to, const T& record) {
  to += '{';
  Separated fields(to);
  constexpr auto names = field_names<T>();
  for_each_indexed_field(record, [&](auto index, const auto& field) {
    fields.next() += names[index];
    to += ": ";
    append_value(to, field);
  });
  to += '}';
}

template <class T>
void append_map(std::string& to, const T& map) {
  to += '{';
  Separated entries(to);
  for (const auto& [key, value] : map) {
    append_value(entries.next(), key);
    to += ": ";
    append_value(to, value);
  }
  to += '}';
}

template <class T>
void append_list(std::string& to, const T& list) {
  to += '[';
  Separated elements(to);
  for (const auto& element : list) append_value(elements.next(), element);
  to += ']';
}

template <class T>
void append_tuple(std::string& to, const T& tuple) {
  to += '(';
  Separated elements(to);
  std::apply([&](const auto&... element) { (append_value(elements.next(), element), ...); }, tuple);
  to += ')';
}

template <class T>
void append_value(std::string& to, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    to += value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    append_number(to, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    append_number(to, value);
  } else if constexpr (kIsStringLike<T>) {
    append_quoted(to, view_of(value));
  } else if constexpr (IsVariant<T>::value) {
    std::visit([&](const auto& alternative) { append_value(to, alternative); }, value);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    to += "null";
  } else if constexpr (MapLike<T>) {
    append_map(to, value);
  } else if constexpr (ListLike<T>) {
    append_list(to, value);
  } else if constexpr (OptionalLike<T>) {
    if (value.has_value()) {
      append_value(to, *value);
    } else {
      to += "null";
    }
  } else if constexpr (internal::TupleLike<T>) {
    append_tuple(to, value);
  } else {
    static_assert(
        Record<T>,
        "weir: a value of this type cannot be written as text; give a format of your own");
    append_record(to, value);
  }
}

}  // namespace readable

// Appends a record as people read it: text as it is, anything else much like JSON, {key: "a", count: 3}. For looking at;
// nothing reads it back.
//
//   Shape   numbers in their shortest form, enums as numbers, tuples in ( ), nothing as null; strings within a record in
//           quotes
//   Errors  none: a type that has no form does not compile
//   Thread  any
template <class T>
void append_readable(std::string& to, const T& record) {
  if constexpr (readable::kIsStringLike<T>) {
    to += readable::view_of(record);
  } else {
    readable::append_value(to, record);
  }
}

}  // namespace weir
