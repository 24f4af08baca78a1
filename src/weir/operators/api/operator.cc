#include "weir/operators/api/operator.h"

namespace weir::operators {

SnapshotWork captured(state::OperatorListState lists) {
  return [lists = std::move(lists)](const SnapshotDone& done) { done(lists); };
}

}  // namespace weir::operators
