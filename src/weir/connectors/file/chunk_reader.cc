#include "weir/connectors/file/chunk_reader.h"

#include <algorithm>

#include "weir/base/check.h"
#include "weir/connectors/file/file_identity.h"

namespace weir::connectors {

ChunkReader::ChunkReader(env::Env& env, Post post, const Options& options)
    : env_(env),
      post_(std::make_shared<const Post>(std::move(post))),
      options_(options),
      blocks_(stream::ByteBlockPool::make(options.room_before + options.chunk_bytes)) {
  WEIR_CHECK(options.room_before >= kIdentityBytes);
}

void ChunkReader::open(const FileSplit& split) {
  WEIR_CHECK(!is_reading_);
  while (ready_count_ != 0) ready_[--ready_count_] = {};
  split_ = split;
  is_open_ = false;
  status_ = ok();
  offset_ = split.next - std::min<std::uint64_t>(split.next, kIdentityBytes);
  read_ahead(Reach::kBeyond);
}

Result<bool> ChunkReader::has_chunk() {
  if (ready_count_ != 0) return true;
  if (is_reading_) return false;
  WEIR_TRY(status_);
  read_ahead(Reach::kBeyond);
  return false;
}

Chunk ChunkReader::take() {
  WEIR_CHECK(ready_count_ != 0);
  auto chunk = std::move(ready_[0]);
  std::move(ready_.begin() + 1, ready_.begin() + ready_count_, ready_.begin());
  --ready_count_;
  read_ahead(Reach::kOfSplit);
  return chunk;
}

void ChunkReader::read_ahead(Reach reach) {
  if (is_reading_ || !status_ || ready_count_ == kAhead || offset_ >= split_.file.size) return;
  if (reach == Reach::kOfSplit && offset_ >= split_.end) return;
  // The first one holds what is before `next` in its front room, so that even a small chunk brings something new.
  const auto before = split_.next - std::min(offset_, split_.next);
  const auto size =
      std::min<std::uint64_t>(split_.file.size - offset_, before + options_.chunk_bytes);
  const auto begin = options_.room_before - static_cast<std::size_t>(before);
  reading_ = {.block = blocks_->take(),
              .begin = begin,
              .end = begin + static_cast<std::size_t>(size),
              .offset = offset_,
              .is_last = offset_ + size == split_.file.size};
  offset_ += size;
  is_reading_ = true;
  env_.io.submit([this] { run(); });
}

// On the I/O pool.
void ChunkReader::run() {
  const auto post = post_;
  status_ = read();
  (*post)([this] { arrived(); });
}

Status ChunkReader::read() {
  const bool is_first = !is_open_;
  if (is_first) WEIR_TRY(open_file());
  const auto bytes = reading_.block->bytes().subspan(reading_.begin, reading_.end - reading_.begin);
  const auto got = file_->read_at(reading_.offset, bytes);
  if (!got) return input_error(got.error(), split_.path);
  if (*got != bytes.size())
    return Error{Code::kCorrupt, "reading " + split_.path + ": it ends at byte " +
                                     std::to_string(reading_.offset + *got) + ", but had " +
                                     std::to_string(split_.file.size) +
                                     " bytes when the job first looked: it was truncated" +
                                     std::string(kInputAdvice)};
  if (!is_first) return ok();
  return check_tail(split_, bytes.first(static_cast<std::size_t>(split_.next - reading_.offset)));
}

Status ChunkReader::open_file() {
  auto file = env_.files.open(split_.path);
  if (!file) return input_error(file.error(), split_.path);
  file_ = *std::move(file);
  is_open_ = true;
  return check_identity(env_.files, *file_, split_);
}

void ChunkReader::arrived() {
  is_reading_ = false;
  if (!status_) return;
  ready_[ready_count_++] = std::move(reading_);
  read_ahead(Reach::kOfSplit);
}

}  // namespace weir::connectors
