#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/result.h"

namespace weir::state {

// One list as it lies in a checkpoint.
struct SavedList {
  Bytes schema;  // of an element, as types/schema.h writes it
  std::vector<Bytes> elements;

  friend bool operator==(const SavedList&, const SavedList&) = default;
};

// The named lists of one operator in one Subtask as a checkpoint has them: splits, enumerator
// state, committables, what the user keeps apart from keys. Elements are bytes; at a restore they
// are dealt anew over the Subtasks. The typed form is ListState.
//
//   Shape   lists in order of name, elements in the order they were added
//   Errors  deserialise(): kCorrupt for anything that serialise() does not write
//   Thread  a value: one at a time
//   Source  docs/formats/operator_state.md; Flink: ListState with SPLIT_DISTRIBUTE
class OperatorListState {
 public:
  // With at least one element.
  void put(const std::string& name, SavedList list) { lists_[name] = std::move(list); }
  // To a list whose Schema stays as it is: empty, where there was none.
  void add(const std::string& list, Bytes element) {
    lists_[list].elements.push_back(std::move(element));
  }
  // Leaves an empty list of that name.
  SavedList take(const std::string& name) { return std::exchange(lists_[name], {}); }
  // Empty where there is no such list.
  const std::vector<Bytes>& elements(const std::string& list) const;
  bool is_empty() const { return lists_.empty(); }
  const std::map<std::string, SavedList>& lists() const { return lists_; }

  Bytes serialise() const;
  static Result<OperatorListState> deserialise(ByteView bytes);

  friend bool operator==(const OperatorListState&, const OperatorListState&) = default;

 private:
  std::map<std::string, SavedList> lists_;
};

// One Subtask's lists are refused above this size.
inline constexpr std::uint64_t kListStateBytesMax = std::uint64_t{1} << 30;

// What Subtask `index` of `parallelism` gets of the lists that the Subtasks of an earlier attempt held: unchanged where
// there were as many, else contiguous pieces of all elements in order, the first ones longer by one; where the longer
// pieces begin moves on from list to list, so that short lists spread.
OperatorListState share_of(std::span<const OperatorListState> old, std::uint32_t index,
                           std::uint32_t parallelism);

}  // namespace weir::state
