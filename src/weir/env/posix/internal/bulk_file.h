#pragma once

#include <fcntl.h>

#include <cstddef>
#include <memory>
#include <new>

#include "weir/base/bytes.h"
#include "weir/env/api/file_system.h"
#include "weir/env/posix/internal/descriptor.h"

namespace weir::env {

// A new file that is large, and written once.
//
// Whole pieces of it go from a buffer straight to the disk, past the page cache: the kernel then copies nothing and keeps
// nothing. A filesystem that cannot do that gets them through its cache, as it gets the piece at the end, which is not
// whole. A file that stays small costs no buffer.
//
//   Units   pieces of 1 MiB, of which each file that is being written holds one
//   Errors  after one the file is worth nothing, and every further call tells it again
//   Source  open(2), O_DIRECT
class BulkFile final : public WritableFile {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  static constexpr int kOpenFlags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL;

  // `file` is empty and was opened with kOpenFlags.
  explicit BulkFile(Descriptor file) : file_(std::move(file)) {}

  Status append(ByteView bytes) override;
  Status sync() override;
  Status close() override;

 private:
  static constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
  // Enough for most devices. Those that want more refuse, and get the pieces through the cache.
  static constexpr std::size_t kAlignment = 4096;
  struct Free {
    void operator()(std::byte* piece) const {
      ::operator delete (piece, std::align_val_t{kAlignment});
    }
  };
  enum class Way : unsigned char { kUntried, kDirect, kCached };

  Status fill(ByteView bytes);
  Status take_piece();
  Status flush();
  Status write_out(ByteView bytes);
  Status leave_direct();
  Status noted(Status status);

  Descriptor file_;
  Bytes small_;  // until that is not enough
  std::unique_ptr<std::byte, Free> piece_;
  std::size_t used_ = 0;  // of the piece
  Way way_ = Way::kUntried;
  Status broken_;
};

}  // namespace weir::env
