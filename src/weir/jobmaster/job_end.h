#pragma once

#include <optional>
#include <string_view>

#include "weir/base/result.h"

namespace weir::jobmaster {

// How a job's life in this process ended.
struct JobEnd {
  enum class Kind : unsigned char {
    kFinished,   // everything is consumed, committed and recorded
    kFailed,     // the restart strategy gave up, or the error was for good
    kSuspended,  // the same command resumes it
    kCancelled,
    kStopped,  // nobody knows what is on the disk: the next start finds out
  };
  Kind kind = Kind::kFinished;
  std::optional<Error> error;  // with kFailed and kStopped
};

constexpr std::string_view job_end_name(JobEnd::Kind kind) {
  switch (kind) {
    case JobEnd::Kind::kFinished:
      return "finished";
    case JobEnd::Kind::kFailed:
      return "failed";
    case JobEnd::Kind::kSuspended:
      return "suspended";
    case JobEnd::Kind::kCancelled:
      return "cancelled";
    case JobEnd::Kind::kStopped:
      return "stopped";
  }
  return "unknown";
}

}  // namespace weir::jobmaster
