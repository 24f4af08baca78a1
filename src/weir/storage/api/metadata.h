#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/result.h"
#include "weir/protocol/checkpoint/completed_checkpoint.h"

namespace weir::storage {

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

// All that a _metadata file says.
struct Metadata {
  checkpoint::CompletedCheckpoint checkpoint;
  std::vector<StateSchema> schemas;
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// The bytes of a _metadata file, version 1.
//
//   Errors  none: a name that is not relative, or subtasks that do not fit the parallelism, are our
//           bug and abort
//   Source  docs/formats/metadata.md
Bytes encode_metadata(const checkpoint::CompletedCheckpoint& checkpoint,
                      std::span<const StateSchema> schemas = {});

// The inverse, of bytes that may be hostile. It takes memory in proportion to the bytes, whatever
// they say. `file` is for the error texts.
//
//   Errors  kCorrupt: the bytes are not what was written. kInvalid: they may well be, but this
//           build cannot read them: another version, a section that it does not know, channel state
Result<Metadata> decode_metadata(ByteView bytes, std::string_view file);

}  // namespace weir::storage
