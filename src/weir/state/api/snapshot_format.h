#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/keygroup/key_group.h"
#include "weir/state/api/staged_block.h"
#include "weir/state/api/table_descriptor.h"

namespace weir::state {

// What stands at the head of a file of keyed state.
//
//   Source  docs/formats/keyed_state.md
struct SnapshotHeader {
  Epoch epoch;
  JobId job;
  CheckpointId checkpoint;
  OperatorId operator_id;
  std::uint32_t max_parallelism = 0;
  KeyGroupRange key_groups;
  bool is_delta = false;
  CheckpointId base;  // of a delta
  std::vector<TableSchema> tables;

  friend bool operator==(const SnapshotHeader&, const SnapshotHeader&) = default;
};

// Where one block lies in the file, and what is in it.
struct BlockPlace {
  std::uint64_t offset = 0;  // of its head
  std::uint32_t table = 0;
  BlockKind kind = BlockKind::kEntries;
  KeyGroupRange key_groups;
  std::uint64_t count = 0;
  std::uint64_t length = 0;    // of its entries
  std::uint64_t checksum = 0;  // of its entries

  friend bool operator==(const BlockPlace&, const BlockPlace&) = default;
};

namespace snapshot_format {

inline constexpr std::uint64_t kMagic = 0x4459454b52494557;     // "WEIRKEYD"
inline constexpr std::uint64_t kEndMagic = 0x574549524b455944;  // "DYEKRIEW"
inline constexpr std::uint32_t kVersion = 1;

inline constexpr std::uint64_t kPreambleBytes = 8 + 4 + 4;  // magic, version, length of the header
inline constexpr std::uint64_t kChecksumBytes = 8;
inline constexpr std::uint64_t kBlockHeadBytes = 4 + 1 + 4 + 4 + 8 + 8 + 8;
inline constexpr std::uint64_t kIndexEntryBytes = 8 + kBlockHeadBytes;
inline constexpr std::uint64_t kTrailerBytes =
    8 + 8 + 8 + 4 + 8;  // index offset, blocks, checksum, version, magic

// Preamble, header and the checksum of both.
Bytes encode_header(const SnapshotHeader& header);
// The header's own bytes, after the preamble. False where they are not a header.
bool decode_header(ByteView bytes, SnapshotHeader& header);

void append_block_head(const BlockPlace& place, ByteWriter& out);
// Without the offset.
BlockPlace read_block_head(ByteReader& in);

}  // namespace snapshot_format
}  // namespace weir::state
