#pragma once

#include <string>

namespace weir {

// What became of execute(). It converts to the exit code that main should return.
//
//   Shape   0 finished, 1 failed, 2 bad options or definition, 3 refused (another process leads the
//           job), 4 suspended: the same command resumes it
struct [[nodiscard]] JobResult {
  enum class Kind : unsigned char {
    kFinished = 0,
    kFailed = 1,
    kInvalid = 2,
    kRefused = 3,
    kSuspended = 4
  };

  Kind kind = Kind::kFinished;
  std::string what;  // why, where it did not finish; also printed to standard error

  operator int() const { return static_cast<int>(kind); }
};

}  // namespace weir
