#include "weir/state/api/snapshot_writer.h"

#include "weir/base/checksum.h"

namespace weir::state {

Result<SnapshotWriter> SnapshotWriter::begin(ByteSink& sink, const SnapshotHeader& header) {
  SnapshotWriter writer(sink);
  WEIR_TRY(writer.put_frame(snapshot_format::encode_header(header)));
  return writer;
}

Status SnapshotWriter::append(const DenseBlock& block) {
  WEIR_CHECK(block.count > 0);
  index_.push_back({offset_, block.table, block.kind, block.key_groups, block.count,
                    block.bytes.size(), checksum(block.bytes)});
  entries_ += block.count;
  scratch_.clear();
  ByteWriter head(scratch_);
  snapshot_format::append_block_head(index_.back(), head);
  WEIR_TRY(put_frame(scratch_));
  return put(block.bytes);
}

Status SnapshotWriter::finish() {
  scratch_.clear();
  ByteWriter out(scratch_);
  for (const auto& place : index_) {
    out.number(place.offset);
    snapshot_format::append_block_head(place, out);
  }
  out.number(offset_);
  out.number(static_cast<std::uint64_t>(index_.size()));
  out.number(checksum(scratch_));
  out.number(snapshot_format::kVersion);
  out.number(snapshot_format::kEndMagic);
  return put_frame(scratch_);
}

Status SnapshotWriter::put_frame(ByteView bytes) {
  frame_.add(bytes);
  return put(bytes);
}

Status SnapshotWriter::put(ByteView bytes) {
  WEIR_TRY(sink_->append(bytes));
  offset_ += bytes.size();
  return ok();
}

}  // namespace weir::state
