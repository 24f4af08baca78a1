#pragma once

#include "weir/base/mutex.h"
#include "weir/env/api/console.h"

namespace weir::env {

// Standard output, or another file descriptor, which it does not close. What one call writes is not mixed with another
// call's, even where the pipe takes it in pieces.
//
//   Thread  any
class PosixConsole final : public Console {
 public:
  explicit PosixConsole(int file_descriptor = 1) : file_descriptor_(file_descriptor) {}

  Status write(std::string_view lines) override;

 private:
  const int file_descriptor_;
  Mutex mutex_;
};

}  // namespace weir::env
