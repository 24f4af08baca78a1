#include "weir/env/posix/internal/bulk_file.h"

#include <algorithm>
#include <cstring>

namespace weir::env {

Result<std::unique_ptr<WritableFile>> BulkFile::over(Descriptor file) {
  void* buffer = ::operator new (kPieceBytes, std::align_val_t{kAlignment}, std::nothrow);
  if (buffer == nullptr)
    return Error{Code::kExhausted, "open " + file.path() + ": the machine has no memory, wanted " +
                                       std::to_string(kPieceBytes) + " bytes"};
  return std::unique_ptr<WritableFile>(
      new BulkFile(std::move(file), Buffer(static_cast<std::byte*>(buffer))));
}

Status BulkFile::append(ByteView bytes) {
  while (!bytes.empty()) {
    const auto fits = std::min(bytes.size(), kPieceBytes - used_);
    std::memcpy(buffer_.get() + used_, bytes.data(), fits);
    used_ += fits;
    bytes = bytes.subspan(fits);
    if (used_ != kPieceBytes) continue;
    if (way_ == Way::kUntried) {
      const bool can_be_direct =
          file_.calls().set_flags(file_.fd(), (kOpenFlags & O_APPEND) | O_DIRECT) == 0;
      way_ = can_be_direct ? Way::kDirect : Way::kCached;
    }
    WEIR_TRY(write_out());
  }
  return ok();
}

Status BulkFile::sync() {
  WEIR_TRY(flush());
  return file_.sync_data();
}

Status BulkFile::close() {
  const auto flushed = flush();
  const auto closed = file_.close();
  return flushed ? closed : flushed;
}

// Behind what is not a whole piece none is where a direct write may be: the rest of the file is for the cache.
Status BulkFile::flush() {
  if (used_ == 0) return ok();
  WEIR_TRY(leave_direct());
  return write_out();
}

Status BulkFile::write_out() {
  ByteView bytes(buffer_.get(), used_);
  used_ = 0;
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

}  // namespace weir::env
