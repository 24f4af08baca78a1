#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "weir/connectors/api/source.h"
#include "weir/connectors/file/chunk_reader.h"
#include "weir/connectors/file/file_lines_options.h"
#include "weir/connectors/file/file_split.h"
#include "weir/connectors/file/pace.h"
#include "weir/types/serializer.h"
#include "weir/types/text.h"

namespace weir::connectors {

// Reads the lines of file splits; the records point into the blocks that the disk filled.
//
// A line that lies across two chunks is moved in front of the second. The kIdentityBytes before it come along, so that
// every position can be told with the checksum of what lies before it.
//
//   Shape   a line ends at '\n', which is no part of it, nor is a '\r' right before; any other bytes may occur in it.
//           What follows the last '\n' of a file is a line unless it is empty
//   Units   progress in bytes
//   Errors  kInvalid: a line is over the limit; others as ChunkReader
//   Thread  the Subtask's
class LineReader final : public SourceReader<Text> {
 public:
  explicit LineReader(const FileLinesOptions& options) : options_(options) {}

  Status open(SourceContext& context) override;
  Status add_split(ByteView bytes) override;
  Result<ReadState> read(stream::RecordBatch<Text>& out) override;
  std::vector<Bytes> snapshot() override;
  Schema split_schema() const override { return schema_of<FileSplit>(); }
  void halt() override { is_halted_ = true; }
  Share progress() const override { return share_; }
  Instant wake_at() const override { return wake_at_; }
  bool is_quiet() const override { return !chunks_ || chunks_->is_quiet(); }

  std::uint64_t blocks_made() const { return chunks_->blocks_made(); }

 private:
  enum class Stop : unsigned char { kFull, kNeedsChunk, kSplitEnd };

  Result<ReadState> read_splits(stream::RecordBatch<Text>& out);
  void begin_split();
  Result<bool> next_chunk();
  Result<Stop> scan(stream::RecordBatch<Text>& out);
  // Finds the first line that begins in the split.
  std::optional<Stop> skip_to_line();
  Result<Stop> take_lines(stream::RecordBatch<Text>& out);
  Result<Stop> end_of_chunk(stream::RecordBatch<Text>& out);
  Error too_long(std::size_t line) const;

  std::uint64_t offset_of(std::size_t at) const { return chunk_.offset + (at - chunk_.begin); }
  // Where, in the block or behind it, the split ends.
  std::size_t split_end() const;
  // Where reading goes on, for the checkpoint.
  std::uint64_t position() const;
  FileSplit at_position() const;

  const FileLinesOptions options_;
  SourceContext* context_ = nullptr;
  std::unique_ptr<ChunkReader> chunks_;
  std::unique_ptr<Pace> pace_;
  Instant wake_at_ = Instant::never();  // the pace's, while it is that which is waited for
  std::deque<FileSplit> splits_;        // the first one is being read
  Share share_;
  bool is_halted_ = false;

  bool is_open_ = false;      // the first split's file is being read
  bool is_skipping_ = false;  // to the first line that begins in the split
  Chunk chunk_;
  std::size_t line_ = 0;      // where, in the block, the next line begins
  std::size_t searched_ = 0;  // bytes of it that hold no '\n'
};

}  // namespace weir::connectors
