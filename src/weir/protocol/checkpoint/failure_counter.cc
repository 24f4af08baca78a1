#include "weir/protocol/checkpoint/failure_counter.h"

namespace weir::checkpoint {

bool FailureCounter::on_failure(CheckpointId id) {
  if (last_success_ && id <= *last_success_) return false;
  if (!counted_.insert(id).second) return false;
  if (counted_.size() > kRemembered) counted_.erase(counted_.begin());
  return count();
}

void FailureCounter::on_success(CheckpointId id) {
  if (last_success_ && id <= *last_success_) return;
  last_success_ = id;
  failures_ = 0;
  counted_.erase(counted_.begin(), counted_.upper_bound(id));
}

bool FailureCounter::count() {
  if (++failures_ <= tolerable_) return false;
  failures_ = 0;
  counted_.clear();
  return true;
}

}  // namespace weir::checkpoint
