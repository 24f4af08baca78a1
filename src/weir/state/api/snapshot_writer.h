#pragma once

#include <vector>

#include "weir/base/checksum.h"
#include "weir/state/api/snapshot_format.h"
#include "weir/state/api/snapshot_io.h"

namespace weir::state {

// Writes one file of keyed state: what one Subtask of one operator gives to one checkpoint.
//
//   Errors  those of the sink; nothing more may be written after one
//   Thread  one at a time: the I/O side's
//   Source  docs/formats/keyed_state.md
class SnapshotWriter {
 public:
  // Writes the header. The sink outlives the writer.
  static Result<SnapshotWriter> begin(ByteSink& sink, const SnapshotHeader& header);

  Status append(const DenseBlock& block);
  // Writes the index and the end. A file without them is refused.
  Status finish();

  // The file's checksum: of everything but the entries, whose checksums are in what it covers. After
  // finish().
  std::uint64_t frame_checksum() const { return frame_.value(); }
  std::uint64_t bytes_written() const { return offset_; }
  std::uint64_t entries_written() const { return entries_; }

 private:
  explicit SnapshotWriter(ByteSink& sink) : sink_(&sink) {}
  Status put_frame(ByteView bytes);
  Status put(ByteView bytes);

  ByteSink* sink_;
  std::uint64_t offset_ = 0;
  std::uint64_t entries_ = 0;
  std::vector<BlockPlace> index_;
  RunningChecksum frame_;
  Bytes scratch_;
};

}  // namespace weir::state
