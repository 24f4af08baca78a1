#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/id.h"
#include "weir/keygroup/key_group.h"

namespace weir::checkpoint {

// A file that holds snapshotted state.
//
//   Shape  `name` is relative to the job's checkpoint directory: "chk-17/e3-sum-0"
//   Units  `checksum` is an XXH3-64 (weir::checksum()): of list state of the whole file, of keyed state
//          of all but the entries (docs/formats/keyed_state.md)
struct FileHandle {
  std::string name;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
  friend bool operator==(const FileHandle&, const FileHandle&) = default;
};

// Where snapshotted bytes are: in the checkpoint's own metadata, or in a file.
using StateHandle = std::variant<Bytes, FileHandle>;

// The keyed state of some KeyGroups.
struct KeyedStateHandle {
  KeyGroupRange groups;
  StateHandle where;
  friend bool operator==(const KeyedStateHandle&, const KeyedStateHandle&) = default;
};

// What one Operator of one Subtask put into a checkpoint.
struct OperatorSubtaskState {
  OperatorId id;
  std::vector<KeyedStateHandle> keyed;
  std::optional<StateHandle> lists;  // operator list state: splits, committables, the user's own
  friend bool operator==(const OperatorSubtaskState&, const OperatorSubtaskState&) = default;
};

// The types of one named state of one Operator, so that its bytes can be read without the job.
//
//   Shape   key, name_space and value are Schemas as docs/formats/records.md writes them; empty
//           where the kind has none. They are carried, not understood, here
struct StateSchema {
  OperatorId op;
  std::string state;
  std::string kind;  // "value", "list", ...: a word of state/api
  Bytes key;
  Bytes name_space;
  Bytes value;
  friend bool operator==(const StateSchema&, const StateSchema&) = default;
};

// What one Subtask acknowledges with.
struct SubtaskSnapshot {
  std::vector<OperatorSubtaskState> operators;
  std::vector<StateSchema> schemas;  // of what the operators' states hold
  // The cut was taken after everything had been consumed: the end of the input was already handled.
  bool at_end = false;
  friend bool operator==(const SubtaskSnapshot&, const SubtaskSnapshot&) = default;
};

// The files that a state, a snapshot names, appended to `out`.
void append_files(const OperatorSubtaskState& state, std::vector<FileHandle>& out);
void append_files(const SubtaskSnapshot& snapshot, std::vector<FileHandle>& out);

}  // namespace weir::checkpoint
