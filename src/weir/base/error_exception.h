#pragma once

#include <exception>
#include <string_view>
#include <type_traits>

#include "weir/base/result.h"

namespace weir {

// An Error on its way through code that is not ours: from inside a user's function to where it is
// caught: the loop of the Subtask, or the call on the I/O pool.
class ErrorException final : public std::exception {
 public:
  explicit ErrorException(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.what.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

// The exception that is being handled, as an Error: that of an ErrorException; kExhausted for memory
// that was refused, which is nobody's fault; else kFailed with the words "`whose` threw: ...". Only
// inside a catch block.
Error caught_error(std::string_view whose = "the user's function");

// Calls code that may be the user's, where nobody up the stack would catch what it throws; an
// exception becomes the Error of the Status or Result that it would have returned.
template <class Call>
std::invoke_result_t<Call> guarded(Call&& call) {
  try {
    return call();
  } catch (...) {
    return caught_error();
  }
}

}  // namespace weir
