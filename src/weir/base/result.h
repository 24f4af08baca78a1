#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "weir/base/check.h"

namespace weir {

// What the caller should do about an error. A code exists where some caller acts differently on it;
// which component failed goes into the text.
enum class Code : unsigned char {
  kInvalid,      // the input or the definition is wrong: mend it. For good: a restart cannot help
  kNotFound,     // the named thing is not there
  kRefused,      // somebody else has the right to it (lock, fence, owner). For good
  kUnavailable,  // the world said no this time: try again
  kTimeout,      // it took too long: try again or give more time
  kExhausted,    // a named limit or the disk is full: make room
  kCorrupt,      // bytes are not what was written: restore something else. For good
  kCancelled,    // it was asked to stop
  kFailed,       // the user's function threw
};

// The code's name as in logs, REST and CLI: "invalid", "not found", ...
std::string_view code_name(Code code);

// A restart would only meet the same error again.
constexpr bool is_for_good(Code code) {
  return code == Code::kInvalid || code == Code::kRefused || code == Code::kCorrupt;
}

// What went wrong: what was attempted, then the facts, values last.
struct Error {
  Code code;
  std::string what;

  // The same error with the attempt in front: "restoring operator sum: " + what.
  [[nodiscard]] Error during(std::string_view attempt) const;
  // "corrupt: reading chk-17/op-3: checksum differs, ..."
  std::string to_string() const;

  friend bool operator==(const Error&, const Error&) = default;
};

// Either a value or an Error.
//
//   Errors  dereferencing a Result that holds an Error is our bug and aborts
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : box_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : box_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return box_.index() == 0; }
  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Result*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Result*>(this)->value(); }
  const Error& error() const {
    WEIR_CHECK(box_.index() == 1);
    return *std::get_if<1>(&box_);
  }

 private:
  T& value() {
    if (box_.index() != 0) [[unlikely]]
      check_failed("Result holds a value", std::get_if<1>(&box_)->what.c_str(), __FILE__, __LINE__);
    return *std::get_if<0>(&box_);
  }

  std::variant<T, Error> box_;
};

// The outcome of something that has no value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_.has_value(); }
  const Error& error() const {
    WEIR_CHECK(error_.has_value());
    return *error_;
  }

  friend bool operator==(const Status&, const Status&) = default;

 private:
  std::optional<Error> error_;
};

inline Status ok() { return {}; }

}  // namespace weir

// Returns the error of a Status or Result expression to the caller, if it has one.
#define WEIR_TRY(expression)                                      \
  do {                                                            \
    if (auto weir_try_ = (expression); !weir_try_) [[unlikely]] { \
      return weir_try_.error();                                   \
    }                                                             \
  } while (false)

// WEIR_ASSIGN(auto file, fs.open(path)) declares `file` from a Result or returns its error.
#define WEIR_ASSIGN(declaration, ...) \
  WEIR_ASSIGN_IMPL_(WEIR_CONCAT_(weir_result_, __LINE__), declaration, (__VA_ARGS__))
#define WEIR_ASSIGN_IMPL_(result, declaration, expression) \
  auto result = expression;                                \
  if (!result) [[unlikely]]                                \
    return result.error();                                 \
  declaration = *std::move(result)
#define WEIR_CONCAT_(a, b) WEIR_CONCAT_IMPL_(a, b)
#define WEIR_CONCAT_IMPL_(a, b) a##b
