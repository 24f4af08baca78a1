#include "weir/env/posix/posix_console.h"

#include <poll.h>
#include <unistd.h>

#include "weir/env/posix/internal/system_error.h"

namespace weir::env {

namespace {

// It will not come back while this process lives.
Error nobody_reads(int error) {
  return {Code::kRefused, system_error("write", "standard output", error).what +
                              ": nobody reads it any more; give it a reader or a file"};
}

}  // namespace

Status PosixConsole::write(std::string_view lines) {
  MutexLock lock(mutex_);
  while (!lines.empty()) {
    const ssize_t done =
        uninterrupted([&] { return ::write(file_descriptor_, lines.data(), lines.size()); });
    if (done < 0 && errno == EAGAIN) {  // Somebody made it non-blocking: for us it is not.
      pollfd room{.fd = file_descriptor_, .events = POLLOUT, .revents = 0};
      std::ignore = uninterrupted([&] { return ::poll(&room, 1, -1); });
      continue;
    }
    if (done < 0 && (errno == EPIPE || errno == EBADF)) return nobody_reads(errno);
    if (done < 0) return system_error("write", "standard output", errno);
    lines.remove_prefix(static_cast<std::size_t>(done));
  }
  return ok();
}

}  // namespace weir::env
