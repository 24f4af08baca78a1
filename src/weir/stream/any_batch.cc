#include "weir/stream/any_batch.h"

#include <algorithm>

namespace weir::stream {

AnyBatch::AnyBatch(Columns columns, std::uint32_t capacity)
    : capacity_(capacity),
      columns_(columns),
      timestamps_(columns.timestamps ? new EventTime[capacity] : nullptr),
      hashes_(columns.hashes ? new std::uint64_t[capacity]{} : nullptr) {
  held_.reserve(4);
}

void AnyBatch::append_columns_of(const AnyBatch& from, std::uint32_t at, std::uint32_t count) {
  if (timestamps_ && from.timestamps_)
    std::copy_n(from.timestamps_.get() + at, count, timestamps_.get() + size_);
  if (hashes_ && from.hashes_) std::copy_n(from.hashes_.get() + at, count, hashes_.get() + size_);
}

void AnyBatch::serialise_columns(std::uint32_t from, std::uint32_t count, ByteWriter& out) const {
  out.number(static_cast<std::uint8_t>((columns_.timestamps ? 1 : 0) | (columns_.hashes ? 2 : 0)));
  if (timestamps_) out.raw(std::as_bytes(std::span(timestamps_.get() + from, count)));
  if (hashes_) out.raw(std::as_bytes(std::span(hashes_.get() + from, count)));
}

bool AnyBatch::deserialise_columns(ByteReader& in, std::uint32_t count) {
  const auto mask = in.number<std::uint8_t>();
  if (mask != ((columns_.timestamps ? 1 : 0) | (columns_.hashes ? 2 : 0))) return false;
  const auto read = [&](auto* column) {
    const auto bytes = in.raw(count * sizeof *column);
    if (in.ok() && count != 0) std::memcpy(column + size_, bytes.data(), bytes.size());
  };
  if (timestamps_) read(timestamps_.get());
  if (hashes_) read(hashes_.get());
  return in.ok();
}

}  // namespace weir::stream
