#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "weir/base/result.h"
#include "weir/connectors/file/file_split.h"
#include "weir/env/api/env.h"
#include "weir/stream/byte_block.h"

namespace weir::connectors {

// A run of a file's bytes in a block.
struct Chunk {
  stream::ByteBlockRef block;
  std::size_t begin =
      0;  // in the block; before it is room for what the reader wants to keep of the chunk before
  std::size_t end = 0;
  std::uint64_t offset = 0;  // in the file, of the byte at begin
  bool is_last = false;      // nothing that is to be read follows

  const char* data() const { return reinterpret_cast<const char*>(block->bytes().data()); }
  char* data() { return reinterpret_cast<char*>(block->bytes().data()); }
};

// Reads a split's file chunk by chunk on the I/O pool, ahead of whoever takes the chunks.
//
// The first chunk begins with the bytes before split.next that prove the file to be the same one; the proof is part of
// the first read. It reads ahead to the end of the split; what lies behind is read when it is asked for, up to the size
// that the file had when it was listed.
//
//   Shape   chunks follow each other without a gap. One read is under way at a time, kAhead chunks wait beside it
//   Errors  as file_identity.h; a file that ends before its size is kCorrupt
//   Thread  the Subtask's; each read on the I/O pool, and back by a letter
class ChunkReader {
 public:
  static constexpr std::size_t kAhead = 2;
  struct Options {
    std::size_t chunk_bytes;
    std::size_t room_before;  // in each block, before the chunk; at least kIdentityBytes
  };
  using Post = std::function<void(std::function<void()>)>;

  ChunkReader(env::Env& env, Post post, const Options& options);

  // Begins with another split. Nothing may be under way.
  void open(const FileSplit& split);
  // Whether a chunk is there to be taken; where not, a letter comes when that changes.
  Result<bool> has_chunk();
  Chunk take();
  // No read is under way.
  bool is_quiet() const { return !is_reading_; }
  // Blocks ever made: constant in steady state.
  std::uint64_t blocks_made() const { return blocks_->made(); }

 private:
  enum class Reach : bool { kOfSplit, kBeyond };

  void read_ahead(Reach reach);
  void run();
  Status read();
  Status open_file();
  void arrived();

  env::Env& env_;
  const std::shared_ptr<const Post>
      post_;  // the read under way holds it too: a letter may be this object's end
  const Options options_;
  const std::shared_ptr<stream::ByteBlockPool> blocks_;

  // The Subtask's.
  bool is_reading_ = false;
  std::array<Chunk, kAhead> ready_;  // oldest first
  std::size_t ready_count_ = 0;
  std::uint64_t offset_ = 0;  // where the next read begins

  // The reading thread's while is_reading_.
  FileSplit split_;
  std::unique_ptr<env::ReadableFile> file_;
  bool is_open_ = false;
  Chunk reading_;
  Status status_;
};

}  // namespace weir::connectors
