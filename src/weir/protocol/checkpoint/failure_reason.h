#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::checkpoint {

// Why a checkpoint did not come about.
//
//   Source  Flink: CheckpointFailureReason; the texts are the ones that people search for
enum class FailureReason : std::uint8_t {
  // Counted against the tolerable number.
  kIo,
  kAsyncException,
  kDeclined,
  kExpired,
  kFinalize,
  // Not counted.
  kTooManyRequests,
  kNotAllTasksRunning,
  kSubsumed,
  kTaskNotReady,
  kTaskClosing,
  kDeclinedSubsumed,
  kSuspending,
};

inline constexpr FailureReason kAllFailureReasons[] = {
    FailureReason::kIo,
    FailureReason::kAsyncException,
    FailureReason::kDeclined,
    FailureReason::kExpired,
    FailureReason::kFinalize,
    FailureReason::kTooManyRequests,
    FailureReason::kNotAllTasksRunning,
    FailureReason::kSubsumed,
    FailureReason::kTaskNotReady,
    FailureReason::kTaskClosing,
    FailureReason::kDeclinedSubsumed,
    FailureReason::kSuspending,
};

// The sentence that is shown: "Checkpoint expired before completing."
std::string_view reason_text(FailureReason reason);

// The sentence, then what is known of this case.
std::string failure_sentence(FailureReason reason, std::string_view detail);

// One word, for stories, logs and the wire: "expired".
std::string_view reason_name(FailureReason reason);

// Whether it speaks against the job's ability to take checkpoints.
constexpr bool is_counted(FailureReason reason) { return reason <= FailureReason::kFinalize; }

}  // namespace weir::checkpoint
