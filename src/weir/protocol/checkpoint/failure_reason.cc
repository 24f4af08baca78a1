#include "weir/protocol/checkpoint/failure_reason.h"

namespace weir::checkpoint {
namespace {

struct Wording {
  std::string_view name;
  std::string_view text;
};

Wording wording_of(FailureReason reason) {
  switch (reason) {
    case FailureReason::kIo:
      return {"io", "IO error while triggering or storing the checkpoint."};
    case FailureReason::kAsyncException:
      return {"async", "Asynchronous task checkpoint failed."};
    case FailureReason::kDeclined:
      return {"declined", "Checkpoint was declined."};
    case FailureReason::kExpired:
      return {"expired", "Checkpoint expired before completing."};
    case FailureReason::kFinalize:
      return {"finalize", "Failure to finalize checkpoint."};
    case FailureReason::kTooManyRequests:
      return {"too-many-requests",
              "The maximum number of queued checkpoint requests has been reached."};
    case FailureReason::kNotAllTasksRunning:
      return {"not-all-running", "Not all required tasks are currently running."};
    case FailureReason::kSubsumed:
      return {"subsumed", "Checkpoint has been subsumed."};
    case FailureReason::kTaskNotReady:
      return {"not-ready", "Checkpoint was declined (tasks not ready)."};
    case FailureReason::kTaskClosing:
      return {"closing", "Checkpoint was declined (task's operators partially closed)."};
    case FailureReason::kDeclinedSubsumed:
      return {"declined-subsumed",
              "Checkpoint was canceled because a barrier from newer checkpoint was received."};
    case FailureReason::kSuspending:
      return {"suspending", "Checkpoint Coordinator is suspending."};
  }
  return {"unknown", "Unknown reason."};
}

}  // namespace

std::string_view reason_text(FailureReason reason) { return wording_of(reason).text; }
std::string_view reason_name(FailureReason reason) { return wording_of(reason).name; }

std::string failure_sentence(FailureReason reason, std::string_view detail) {
  std::string out(reason_text(reason));
  if (!detail.empty()) out.append(" ").append(detail);
  return out;
}

}  // namespace weir::checkpoint
