#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/result.h"

namespace weir::state {

// The named lists of one operator in one Subtask: splits, enumerator state, committables, what the user keeps apart
// from keys. Elements are bytes; at a restore they are dealt anew over the Subtasks.
//
//   Shape   lists in order of name, elements in the order they were added
//   Errors  deserialise(): kCorrupt for anything that serialise() does not write
//   Source  docs/formats/operator_state.md; Flink: ListState with SPLIT_DISTRIBUTE
class OperatorListState {
 public:
  void add(const std::string& list, Bytes element) { lists_[list].push_back(std::move(element)); }
  // Empty where there is no such list.
  const std::vector<Bytes>& elements(const std::string& list) const;
  bool is_empty() const { return lists_.empty(); }
  const std::map<std::string, std::vector<Bytes>>& lists() const { return lists_; }

  Bytes serialise() const;
  static Result<OperatorListState> deserialise(ByteView bytes);

  friend bool operator==(const OperatorListState&, const OperatorListState&) = default;

 private:
  std::map<std::string, std::vector<Bytes>> lists_;
};

// One Subtask's lists are refused above this size.
inline constexpr std::uint64_t kListStateBytesMax = std::uint64_t{1} << 30;

// What Subtask `index` of `parallelism` gets of the lists that the Subtasks of an earlier attempt held: unchanged where
// there were as many, else contiguous pieces of all elements in order, the first ones longer by one; where the longer
// pieces begin moves on from list to list, so that short lists spread.
OperatorListState share_of(std::span<const OperatorListState> old, std::uint32_t index,
                           std::uint32_t parallelism);

}  // namespace weir::state
