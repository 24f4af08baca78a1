#pragma once

#include <vector>

#include "weir/state/api/list_state.h"
#include "weir/state/api/operator_list_state.h"

namespace weir::state {

// The lists that one operator declares in one Subtask, between the checkpoint that is restored and
// the next one.
//
//   Thread  declare() on the I/O pool, capture() on the Subtask's
class OperatorLists {
 public:
  OperatorLists() = default;
  // `restored`: this Subtask's share of what the checkpoint held.
  explicit OperatorLists(OperatorListState restored) : restored_(std::move(restored)) {}

  // The list is the operator's from now on and holds its share; it lives as long as the operator.
  //
  //   Errors  kInvalid: two lists of one name; elements of another Schema than the list's. kCorrupt:
  //           an element that is not of its Schema
  Status declare(AnyListState& list);
  // What the checkpoint holds and nobody has declared would be lost: kInvalid, with its name.
  Status check_all_declared() const;

  // Everything that the lists hold now.
  OperatorListState capture() const;

 private:
  OperatorListState restored_;
  std::vector<AnyListState*> declared_;
};

}  // namespace weir::state
