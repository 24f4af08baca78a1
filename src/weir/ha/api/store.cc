#include "weir/ha/api/store.h"

namespace weir::ha {

Written pointer_fate(const Store& store, const Written& read_back, CheckpointId id) {
  if (!read_back) return read_back;
  const auto& newest = store.record().newest;
  if (newest && newest->id >= id) return Written::durable();
  return Written::absent(
      {Code::kUnavailable, "moving the pointer to checkpoint " + std::to_string(id.value) +
                               ": it points to " +
                               (newest ? std::to_string(newest->id.value) : std::string("none"))});
}

}  // namespace weir::ha
