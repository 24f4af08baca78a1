#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/result.h"
#include "weir/protocol/checkpoint/completed_checkpoint.h"

namespace weir::storage {

// All that a _metadata file says.
struct Metadata {
  checkpoint::CompletedCheckpoint checkpoint;
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// The bytes of a _metadata file, version 1.
//
//   Errors  none: a name that is not relative, or subtasks that do not fit the parallelism, are our
//           bug and abort
//   Source  docs/formats/metadata.md
Bytes encode_metadata(const checkpoint::CompletedCheckpoint& checkpoint);

// The inverse, of bytes that may be hostile. It takes memory in proportion to the bytes, whatever
// they say. `file` is for the error texts.
//
//   Errors  kCorrupt: the bytes are not what was written. kInvalid: they may well be, but this
//           build cannot read them: another version, a section that it does not know, channel state
Result<Metadata> decode_metadata(ByteView bytes, std::string_view file);

}  // namespace weir::storage
