#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "weir/base/checksum.h"
#include "weir/state/api/snapshot_format.h"
#include "weir/state/api/snapshot_io.h"

namespace weir::state {

// One entry of a block, in place.
struct SnapshotEntry {
  std::string_view key;
  ByteView name_space;
  ByteView value;  // empty in a block of deletes
};

// Goes through the entries of one block whose checksum is right.
//
//   Errors  none here: where the bytes are no entries next() ends early and is_whole() is false
class BlockEntries {
 public:
  BlockEntries(const TableSchema& table, const BlockPlace& place, ByteView bytes)
      : table_(table), place_(place), reader_(bytes) {}

  std::optional<SnapshotEntry> next();
  // After the last: there were as many as the block says, and nothing behind them.
  bool is_whole() const {
    return reader_.ok() && reader_.remaining() == 0 && seen_ == place_.count;
  }

 private:
  const TableSchema& table_;
  const BlockPlace& place_;
  ByteReader reader_;
  std::uint64_t seen_ = 0;
};

// Reads a file of keyed state that may be anything.
//
// open() verifies header and index, so that what they say may be believed; each block is verified
// before any entry of it is given out.
//
//   Errors  kCorrupt, naming file and offset; kInvalid for a version that this program does not
//           know
//   Thread  any one at a time
class SnapshotReader {
 public:
  // The source outlives the reader.
  static Result<SnapshotReader> open(const ByteSource& source);

  const SnapshotHeader& header() const { return header_; }
  // In the order of the file.
  const std::vector<BlockPlace>& blocks() const { return index_; }
  // The verified bytes of a block, in `into`.
  Status read(const BlockPlace& block, Bytes& into) const;
  BlockEntries entries(const BlockPlace& block, ByteView bytes) const {
    return {header_.tables[block.table], block, bytes};
  }
  Error corrupt(std::uint64_t offset, const std::string& what) const;

 private:
  explicit SnapshotReader(const ByteSource& source) : source_(&source) {}

  Status read_header();
  Status read_index();
  Status check_index(std::uint64_t index_offset) const;
  Status check_frame(ByteView index, ByteView trailer);

  const ByteSource* source_;
  std::uint64_t blocks_begin_ = 0;
  SnapshotHeader header_;
  std::vector<BlockPlace> index_;
  RunningChecksum frame_;
};

}  // namespace weir::state
