#pragma once

#include <string_view>

#include "weir/base/result.h"

namespace weir::env {

// Standard output: what a program shows to people or to the program behind a pipe.
//
//   Shape   what one call writes stays together among the calls of this process
//   Errors  kUnavailable: nobody takes it any more
//   Thread  any; the call may block, so it is made on the I/O pool
class Console {
 public:
  virtual ~Console() = default;
  // Whole lines, each with its '\n'.
  virtual Status write(std::string_view lines) = 0;
};

}  // namespace weir::env
