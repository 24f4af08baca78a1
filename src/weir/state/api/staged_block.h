#pragma once

#include <cstdint>
#include <memory>

#include "weir/base/bytes.h"
#include "weir/keygroup/key_group.h"
#include "weir/memory/staging_pool.h"

namespace weir::state {

enum class BlockKind : std::uint8_t {
  kEntries = 0,  // key, namespace, value
  kDeletes = 1,  // key, namespace of what is no longer there; in increments only
};

// A run of entries in the dense form of docs/formats/keyed_state.md.
struct DenseBlock {
  BlockKind kind = BlockKind::kEntries;
  std::uint32_t table = 0;   // its place in the snapshot's list of tables
  KeyGroupRange key_groups;  // of its entries: the least and the greatest
  std::uint64_t count = 0;
  Bytes bytes;
};

// Turns saved entries, as a backend laid them down, into the dense form.
//
//   Thread  any: a pure function of what it was made from
class BlockEncoder {
 public:
  virtual ~BlockEncoder() = default;
  // Fills key_groups, count and bytes of `out`, keeping the capacity of its buffer. There is at
  // least one entry.
  virtual void encode(ByteView staged, DenseBlock& out) const = 0;
};

// Saved entries on their way from the Subtask to the file. They are never empty.
struct StagedBlock {
  BlockKind kind = BlockKind::kEntries;
  std::uint32_t table = 0;
  std::shared_ptr<const BlockEncoder>
      encoder;  // outlives the table: a snapshot may be written after the Subtask
  memory::StagingChunk chunk;
  std::size_t used_bytes = 0;

  // On the I/O side. The chunk may go back to its pool afterwards.
  void encode(DenseBlock& out) const {
    out.kind = kind;
    out.table = table;
    encoder->encode({chunk.data(), used_bytes}, out);
  }
};

// Takes what a snapshot consists of, while it is being saved.
//
//   Thread  the Subtask's: it passes the block on and returns
class SnapshotOutput {
 public:
  virtual ~SnapshotOutput() = default;
  virtual void take(StagedBlock block) = 0;
};

}  // namespace weir::state
