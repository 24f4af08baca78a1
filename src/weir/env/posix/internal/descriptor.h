#pragma once

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <utility>

#include "weir/base/bytes.h"
#include "weir/base/result.h"
#include "weir/env/posix/internal/system_error.h"
#include "weir/env/posix/syscalls.h"

namespace weir::env {

// An open descriptor with the path it was opened by, for the error texts.
class Descriptor {
 public:
  Descriptor(const SystemCalls& calls, int fd, std::string path)
      : calls_(calls), fd_(fd), path_(std::move(path)) {}
  ~Descriptor() {
    if (fd_ >= 0) calls_.close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept
      : calls_(other.calls_), fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  static Result<Descriptor> open(const SystemCalls& calls, const std::string& path, int flags) {
    constexpr mode_t kFileMode = 0666;  // Less the umask, as any program would.
    const int fd =
        uninterrupted([&] { return calls.open(path.c_str(), flags | O_CLOEXEC, kFileMode); });
    if (fd < 0) return system_error("open", path, errno);
    return Descriptor(calls, fd, path);
  }

  // Linux has closed the descriptor whatever close() answers, so it is never called twice.
  Status close() {
    const int fd = std::exchange(fd_, -1);
    if (calls_.close(fd) != 0 && errno != EINTR) return system_error("close", path_, errno);
    return ok();
  }
  // Some of `bytes`, at least one, as write(2): -1 and errno.
  ssize_t write(ByteView bytes) const {
    const ssize_t done =
        uninterrupted([&] { return calls_.write(fd_, bytes.data(), bytes.size()); });
    if (done != 0) return done;
    // No kernel answers 0 for a regular file; going on would be a loop without end.
    errno = EIO;
    return -1;
  }
  // The length is part of what that makes durable; the times of the file may be lost.
  Status sync_data() const {
    if (uninterrupted([&] { return calls_.fdatasync(fd_); }) != 0)
      return system_error("fdatasync", path_, errno);
    return ok();
  }
  int release() { return std::exchange(fd_, -1); }

  const SystemCalls& calls() const { return calls_; }
  int fd() const { return fd_; }
  const std::string& path() const { return path_; }

 private:
  const SystemCalls& calls_;
  int fd_;
  std::string path_;
};

}  // namespace weir::env
