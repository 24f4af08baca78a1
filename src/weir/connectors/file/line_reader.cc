#include "weir/connectors/file/line_reader.h"

#include <algorithm>
#include <cstring>

#include "weir/base/check.h"
#include "weir/base/checksum.h"
#include "weir/types/serializer.h"

namespace weir::connectors {

Status LineReader::open(SourceContext& context) {
  context_ = &context;
  const auto rate = static_cast<double>(options_.max_bytes_per_second) / context.parallelism;
  pace_ = std::make_unique<Pace>(rate);
  // The longest line, its "\r", and what proves the position before it.
  chunks_ = std::make_unique<ChunkReader>(
      *context.env, context.post,
      ChunkReader::Options{
          .chunk_bytes = options_.chunk_bytes,
          .room_before = kIdentityBytes + std::size_t{options_.line_bytes_max} + 1});
  return ok();
}

Status LineReader::add_split(ByteView bytes) {
  WEIR_ASSIGN(auto split, file_split_from(bytes));
  share_.total += split.end - split.next;
  splits_.push_back(std::move(split));
  return ok();
}

Result<ReadState> LineReader::read(stream::RecordBatch<Text>& out) {
  if (is_halted_) return ReadState::kWaits;
  if (!pace_->is_limited()) return read_splits(out);
  const auto now = context_->env->clock.now();
  wake_at_ = now < pace_->due() ? pace_->due() : Instant::never();
  if (wake_at_ != Instant::never()) return ReadState::kWaits;
  const auto before = share_.done;
  auto state = read_splits(out);
  pace_->took(share_.done - before, now);
  return state;
}

Result<ReadState> LineReader::read_splits(stream::RecordBatch<Text>& out) {
  while (!splits_.empty()) {
    if (!is_open_) begin_split();
    const auto before = std::min(position(), splits_.front().end);
    auto stop = Stop::kNeedsChunk;
    if (chunk_.block) {
      WEIR_ASSIGN(stop, scan(out));
      share_.done += std::min(position(), splits_.front().end) - before;
    }
    switch (stop) {
      case Stop::kFull:
        return ReadState::kMore;
      case Stop::kNeedsChunk: {
        WEIR_ASSIGN(const bool is_there, next_chunk());
        if (!is_there) return ReadState::kWaits;
        break;
      }
      case Stop::kSplitEnd:
        share_.done += splits_.front().end - std::min(position(), splits_.front().end);
        splits_.pop_front();
        is_open_ = false;
        chunk_ = {};
        break;
    }
  }
  return ReadState::kNeedsSplit;
}

std::vector<Bytes> LineReader::snapshot() {
  std::vector<Bytes> elements;
  for (const auto& split : splits_) {
    const auto now = &split == &splits_.front() ? at_position() : split;
    if (now.next < now.end) elements.push_back(serialize(now));
  }
  return elements;
}

void LineReader::begin_split() {
  const auto& split = splits_.front();
  chunks_->open(split);
  is_open_ = true;
  is_skipping_ = split.next == split.begin && split.begin != 0;
  line_ = searched_ = 0;
}

// Goes on to the next chunk, and takes along what of this one is still needed.
Result<bool> LineReader::next_chunk() {
  WEIR_ASSIGN(const bool is_there, chunks_->has_chunk());
  if (!is_there) return false;
  auto next = chunks_->take();
  if (chunk_.block) {
    const auto unread = chunk_.end - line_;
    const auto proof = std::min(line_ - chunk_.begin, kIdentityBytes);
    WEIR_CHECK(proof + unread <= next.begin);
    std::memcpy(next.data() + next.begin - unread - proof, chunk_.data() + line_ - proof,
                unread + proof);
    line_ = next.begin - unread;
    next.begin -= unread + proof;
    next.offset -= unread + proof;
  } else {
    line_ = next.begin + static_cast<std::size_t>(splits_.front().next - next.offset);
  }
  chunk_ = std::move(next);
  return true;
}

Result<LineReader::Stop> LineReader::scan(stream::RecordBatch<Text>& out) {
  if (is_skipping_)
    if (const auto stop = skip_to_line()) return *stop;
  return take_lines(out);
}

std::optional<LineReader::Stop> LineReader::skip_to_line() {
  const auto* data = chunk_.data();
  const auto from = line_ - 1;  // A line begins at line_ if this is the end of one.
  const auto last = std::min(chunk_.end, split_end() - 1);
  if (const void* found = last > from ? std::memchr(data + from, '\n', last - from) : nullptr) {
    line_ = static_cast<std::size_t>(static_cast<const char*>(found) - data) + 1;
    is_skipping_ = false;
    return std::nullopt;
  }
  if (last < chunk_.end || chunk_.is_last) return Stop::kSplitEnd;
  line_ = chunk_.end;
  return Stop::kNeedsChunk;
}

Result<LineReader::Stop> LineReader::take_lines(stream::RecordBatch<Text>& out) {
  const auto* data = chunk_.data();
  const auto end = chunk_.end;
  const auto split_end = this->split_end();
  const auto line_max = options_.line_bytes_max;
  const auto room = out.room();
  Text* lines = out.data() + out.size();
  std::uint32_t n = 0;
  auto line = line_;
  auto searched = searched_;
  auto stop = Stop::kFull;
  for (; n != room; ++n) {
    if (line >= split_end) {
      stop = Stop::kSplitEnd;
      break;
    }
    const void* found = std::memchr(data + line + searched, '\n', end - line - searched);
    if (!found) {
      stop = Stop::kNeedsChunk;
      searched = end - line;
      break;
    }
    const auto newline = static_cast<std::size_t>(static_cast<const char*>(found) - data);
    const auto size = newline - line - (newline != line && data[newline - 1] == '\r' ? 1 : 0);
    if (size > line_max) [[unlikely]]
      return too_long(line);
    lines[n] = Text({data + line, size});
    line = newline + 1;
    searched = 0;
  }
  line_ = line;
  searched_ = searched;
  if (n != 0) out.hold(chunk_.block);
  out.grow(n);
  return stop == Stop::kNeedsChunk ? end_of_chunk(out) : stop;
}

// What is left of the chunk has no line end.
Result<LineReader::Stop> LineReader::end_of_chunk(stream::RecordBatch<Text>& out) {
  const auto size = chunk_.end - line_;
  if (!chunk_.is_last) {
    if (size > std::size_t{options_.line_bytes_max} + 1) return too_long(line_);
    return Stop::kNeedsChunk;
  }
  if (size > options_.line_bytes_max) return too_long(line_);
  if (size != 0) {
    out.append() = Text({chunk_.data() + line_, size});
    out.hold(chunk_.block);
    line_ = chunk_.end;
  }
  return Stop::kSplitEnd;
}

Error LineReader::too_long(std::size_t line) const {
  return {Code::kInvalid, "reading " + splits_.front().path + ": the line at byte " +
                              std::to_string(offset_of(line)) + " is longer than the limit of " +
                              std::to_string(options_.line_bytes_max) +
                              " bytes; raise line_bytes_max if this is a text file"};
}

std::size_t LineReader::split_end() const {
  return chunk_.begin + static_cast<std::size_t>(splits_.front().end - chunk_.offset);
}

std::uint64_t LineReader::position() const {
  if (!chunk_.block || is_skipping_) return splits_.front().next;
  return offset_of(line_);
}

FileSplit LineReader::at_position() const {
  auto split = splits_.front();
  const auto next = position();
  if (next == split.next) return split;
  split.next = next;
  const auto proof = std::min(line_ - chunk_.begin, kIdentityBytes);
  split.tail_checksum = checksum(ByteView(chunk_.block->bytes()).subspan(line_ - proof, proof));
  return split;
}

}  // namespace weir::connectors
