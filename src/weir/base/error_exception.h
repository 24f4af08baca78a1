#pragma once

#include <exception>

#include "weir/base/result.h"

namespace weir {

// An Error on its way through code that is not ours: from inside a user's function to the loop of the
// Subtask, the one place that catches it.
class ErrorException final : public std::exception {
 public:
  explicit ErrorException(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.what.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

}  // namespace weir
