#include "weir/env/posix/internal/bulk_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace weir::env {

Status BulkFile::append(ByteView bytes) {
  if (!broken_) return broken_;
  if (piece_ == nullptr && small_.size() + bytes.size() <= kSmallBytes) {
    small_.insert(small_.end(), bytes.begin(), bytes.end());
    return ok();
  }
  return noted(fill(bytes));
}

Status BulkFile::sync() {
  if (!broken_) return broken_;
  WEIR_TRY(noted(flush()));
  return noted(file_.sync_data());
}

Status BulkFile::close() {
  auto flushed = broken_ ? flush() : broken_;
  auto closed = file_.close();
  return flushed ? closed : flushed;
}

Status BulkFile::fill(ByteView bytes) {
  if (piece_ == nullptr) WEIR_TRY(take_piece());
  while (!bytes.empty()) {
    const auto fits = std::min(bytes.size(), kPieceBytes - used_);
    std::memcpy(piece_.get() + used_, bytes.data(), fits);
    used_ += fits;
    bytes = bytes.subspan(fits);
    if (used_ != kPieceBytes) continue;
    if (way_ == Way::kUntried) {
      const bool can_be_direct =
          file_.calls().set_flags(file_.fd(), (kOpenFlags & O_APPEND) | O_DIRECT) == 0;
      way_ = can_be_direct ? Way::kDirect : Way::kCached;
    }
    used_ = 0;
    WEIR_TRY(write_out({piece_.get(), kPieceBytes}));
  }
  return ok();
}

// It begins with what the file was while it was small.
Status BulkFile::take_piece() {
  piece_.reset(static_cast<std::byte*>(
      ::operator new (kPieceBytes, std::align_val_t{kAlignment}, std::nothrow)));
  if (piece_ == nullptr)
    return Error{Code::kExhausted, "writing " + file_.path() +
                                       ": the machine has no memory, wanted " +
                                       std::to_string(kPieceBytes) + " bytes"};
  std::copy(small_.begin(), small_.end(), piece_.get());
  used_ = small_.size();
  small_ = {};
  return ok();
}

// Behind what is not a whole piece none is where a direct write may be: the rest of the file is for the cache.
Status BulkFile::flush() {
  if (piece_ == nullptr) {
    const auto small = std::exchange(small_, {});
    if (!small.empty()) way_ = Way::kCached;
    return write_out(small);
  }
  if (used_ == 0) return ok();
  WEIR_TRY(leave_direct());
  return write_out({piece_.get(), std::exchange(used_, 0)});
}

Status BulkFile::write_out(ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t done = file_.write(bytes);
    if (done < 0 && errno == EINVAL && way_ == Way::kDirect) {
      WEIR_TRY(leave_direct());  // There are filesystems that say so only now.
      continue;
    }
    if (done < 0) return system_error("write", file_.path(), errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    if (bytes.size() % kAlignment != 0) WEIR_TRY(leave_direct());
  }
  return ok();
}

Status BulkFile::leave_direct() {
  if (std::exchange(way_, Way::kCached) != Way::kDirect) return ok();
  if (file_.calls().set_flags(file_.fd(), kOpenFlags & O_APPEND) != 0)
    return system_error("fcntl", file_.path(), errno);
  return ok();
}

Status BulkFile::noted(Status status) {
  if (!status) broken_ = status;
  return status;
}

}  // namespace weir::env
