#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weir/storage/api/metadata.h"

// What is inside each section of a _metadata file. A decoder answers with what is wrong, or with an
// empty text; then the payload was consumed to its last byte.
//
//   Source  docs/formats/metadata.md
namespace weir::storage {

enum class SectionTag : std::uint32_t {
  kCheckpoint = 1,
  kOperators = 2,
  kSchemas = 3,
  kChannelState = 4,  // reserved: must be empty
  kSharedFiles = 5,   // reserved: must be empty
};

Bytes encode_checkpoint(
    const checkpoint::CompletedCheckpoint& checkpoint);  // all but operators and schemas
std::string decode_checkpoint(ByteView payload, checkpoint::CompletedCheckpoint& out);

Bytes encode_operators(const std::vector<checkpoint::OperatorState>& operators);
std::string decode_operators(ByteView payload, std::vector<checkpoint::OperatorState>& out);

Bytes encode_schemas(std::span<const checkpoint::StateSchema> schemas);
std::string decode_schemas(ByteView payload, std::vector<checkpoint::StateSchema>& out);

}  // namespace weir::storage
