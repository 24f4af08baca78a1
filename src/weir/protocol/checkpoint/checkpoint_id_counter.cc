#include "weir/protocol/checkpoint/checkpoint_id_counter.h"

#include <algorithm>

#include "weir/base/check.h"
#include "weir/base/mutant.h"

namespace weir::checkpoint {

void CheckpointIdCounter::begin(CheckpointId reserved_up_to, CheckpointId newest_seen) {
  reserved_ = reserved_up_to;
  next_ = {std::max(reserved_up_to, newest_seen).value + 1};
  if (mutant(Mutant::kCheckpointIdReused)) next_ = {newest_seen.value + 1};
}

std::optional<CheckpointId> CheckpointIdCounter::take_reservation() {
  if (available() || asked_) return std::nullopt;
  asked_ = true;
  return CheckpointId{next_.value - 1 + kBlock};
}

void CheckpointIdCounter::on_reserved(CheckpointId up_to) {
  asked_ = false;
  reserved_ = std::max(reserved_, up_to);
}

CheckpointId CheckpointIdCounter::take() {
  WEIR_CHECK(available());
  return {next_.value++};
}

}  // namespace weir::checkpoint
