#pragma once

#include <fcntl.h>

#include <cstddef>
#include <memory>
#include <new>

#include "weir/env/api/file_system.h"
#include "weir/env/posix/internal/descriptor.h"

namespace weir::env {

// A new file that is large, and written once.
//
// Whole pieces of it go from a buffer straight to the disk, past the page cache: the kernel then copies nothing and keeps
// nothing. A filesystem that cannot do that gets them through its cache, as it gets the piece at the end, which is not
// whole.
//
//   Units   pieces of 1 MiB
//   Source  open(2), O_DIRECT
class BulkFile final : public WritableFile {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  static constexpr int kOpenFlags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL;

  // `file` is empty and was opened with kOpenFlags.
  static Result<std::unique_ptr<WritableFile>> over(Descriptor file);

  Status append(ByteView bytes) override;
  Status sync() override;
  Status close() override;

 private:
  // What every device asks of addresses and lengths, if not less.
  static constexpr std::size_t kAlignment = 4096;
  struct Free {
    void operator()(std::byte* buffer) const {
      ::operator delete (buffer, std::align_val_t{kAlignment});
    }
  };
  using Buffer = std::unique_ptr<std::byte, Free>;
  enum class Way : unsigned char { kUntried, kDirect, kCached };

  BulkFile(Descriptor file, Buffer buffer) : file_(std::move(file)), buffer_(std::move(buffer)) {}

  Status write_out();
  Status flush();
  Status leave_direct();

  Descriptor file_;
  Buffer buffer_;
  std::size_t used_ = 0;
  Way way_ = Way::kUntried;
};

}  // namespace weir::env
