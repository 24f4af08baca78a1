#include "weir/state/api/snapshot_reader.h"

#include <algorithm>

#include "weir/base/checksum.h"

namespace weir::state {
namespace {

using namespace snapshot_format;

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4)
    *digit = "0123456789abcdef"[value & 15];
  return text;
}

std::string differs(const std::string& what, std::uint64_t want, std::uint64_t got) {
  return "checksum of " + what + " differs, want " + hex(want) + ", got " + hex(got);
}

}  // namespace

std::optional<SnapshotEntry> BlockEntries::next() {
  if (seen_ == place_.count || !reader_.ok()) return {};
  SnapshotEntry entry;
  entry.key =
      text_of(reader_.raw(table_.key.is_fixed() ? table_.key.fixed_bytes : reader_.leb128()));
  entry.name_space = reader_.raw(table_.namespace_bytes);
  if (place_.kind == BlockKind::kEntries) entry.value = reader_.raw(reader_.leb128());
  if (!reader_.ok()) return {};
  ++seen_;
  return entry;
}

Result<SnapshotReader> SnapshotReader::open(const ByteSource& source) {
  SnapshotReader reader(source);
  WEIR_TRY(reader.read_header());
  WEIR_TRY(reader.read_index());
  return reader;
}

Status SnapshotReader::read_header() {
  const auto size = source_->size();
  if (size < kPreambleBytes + kChecksumBytes + kTrailerBytes)
    return corrupt(0, "it has " + std::to_string(size) + " bytes, too few for keyed state");
  Bytes bytes(kPreambleBytes);
  WEIR_TRY(source_->read_at(0, bytes));
  ByteReader preamble(bytes);
  if (preamble.number<std::uint64_t>() != kMagic) return corrupt(0, "it is not keyed state");
  const auto version = preamble.number<std::uint32_t>();
  const std::uint64_t length = preamble.number<std::uint32_t>();
  if (length > size - kPreambleBytes - kChecksumBytes - kTrailerBytes)
    return corrupt(12, "the header is longer than the file");
  bytes.resize(kPreambleBytes + length + kChecksumBytes);
  WEIR_TRY(source_->read_at(0, bytes));
  const ByteView covered = ByteView(bytes).first(kPreambleBytes + length);
  const auto want = ByteReader(ByteView(bytes).last(kChecksumBytes)).number<std::uint64_t>();
  if (checksum(covered) != want) return corrupt(0, differs("header", want, checksum(covered)));
  // Only now: a damaged number is no other version.
  if (version != kVersion) {
    return Error{Code::kInvalid,
                 "reading keyed state " + source_->name() + ": format version " +
                     std::to_string(version) + " is not known here, only version " +
                     std::to_string(kVersion) +
                     "; start the build that wrote it, or begin anew with --restart"};
  }
  if (!decode_header(covered.subspan(kPreambleBytes), header_))
    return corrupt(kPreambleBytes, "the header makes no sense");
  frame_.add(bytes);
  blocks_begin_ = bytes.size();
  return ok();
}

Status SnapshotReader::read_index() {
  const auto trailer_at = source_->size() - kTrailerBytes;
  Bytes trailer(kTrailerBytes);
  WEIR_TRY(source_->read_at(trailer_at, trailer));
  ByteReader in(trailer);
  const auto offset = in.number<std::uint64_t>();
  const auto count = in.number<std::uint64_t>();
  const auto want = in.number<std::uint64_t>();
  const auto version = in.number<std::uint32_t>();
  if (in.number<std::uint64_t>() != kEndMagic)
    return corrupt(trailer_at, "it does not end as it should");
  if (version != kVersion) return corrupt(trailer_at, "the end is of another version");
  if (offset < blocks_begin_ || offset > trailer_at ||
      count != (trailer_at - offset) / kIndexEntryBytes ||
      (trailer_at - offset) % kIndexEntryBytes != 0)
    return corrupt(trailer_at, "the end does not fit the file");
  Bytes bytes(trailer_at - offset + 16);
  WEIR_TRY(source_->read_at(offset, bytes));
  if (checksum(bytes) != want) return corrupt(offset, differs("index", want, checksum(bytes)));
  ByteReader entries(bytes);
  index_.reserve(count);
  for (std::uint64_t i = 0; i != count; ++i) {
    const auto block_offset = entries.number<std::uint64_t>();
    index_.push_back(read_block_head(entries));
    index_.back().offset = block_offset;
  }
  WEIR_TRY(check_index(offset));
  return check_frame(ByteView(bytes).first(trailer_at - offset), trailer);
}

// The blocks lie one behind the other from the header to the index, and each can be what it says.
Status SnapshotReader::check_index(std::uint64_t index_offset) const {
  auto at = blocks_begin_;
  for (const auto& block : index_) {
    if (block.offset != at || index_offset - at < kBlockHeadBytes ||
        block.length > index_offset - at - kBlockHeadBytes)
      return corrupt(index_offset, "a block does not fit, offset " + std::to_string(block.offset));
    if (block.table >= header_.tables.size() || block.kind > BlockKind::kDeletes ||
        block.count == 0 || block.count > block.length ||
        block.key_groups.first > block.key_groups.last ||
        block.key_groups.last.value >= header_.max_parallelism)
      return corrupt(at, "a block's head makes no sense");
    at += kBlockHeadBytes + block.length;
  }
  if (at != index_offset) return corrupt(at, "there are bytes that belong to no block");
  return ok();
}

// Whether it is the very file that the checkpoint names: entries are covered by the blocks' checksums.
Status SnapshotReader::check_frame(ByteView index, ByteView trailer) {
  const auto want = source_->frame_checksum();
  if (!want) return ok();
  Bytes head;
  for (const auto& block : index_) {
    head.clear();
    ByteWriter out(head);
    append_block_head(block, out);
    frame_.add(head);
  }
  frame_.add(index);
  frame_.add(trailer);
  if (frame_.value() != *want) return corrupt(0, differs("file", *want, frame_.value()));
  return ok();
}

Status SnapshotReader::read(const BlockPlace& block, Bytes& into) const {
  Bytes head(kBlockHeadBytes);
  WEIR_TRY(source_->read_at(block.offset, head));
  ByteReader in(head);
  auto found = read_block_head(in);
  found.offset = block.offset;
  if (!(found == block)) return corrupt(block.offset, "a block's head is not what the index says");
  into.resize(block.length);
  WEIR_TRY(source_->read_at(block.offset + kBlockHeadBytes, into));
  if (checksum(into) != block.checksum)
    return corrupt(block.offset, differs("block", block.checksum, checksum(into)));
  return ok();
}

Error SnapshotReader::corrupt(std::uint64_t offset, const std::string& what) const {
  return {Code::kCorrupt, "reading keyed state " + source_->name() + ": " + what + ", offset " +
                              std::to_string(offset)};
}

}  // namespace weir::state
