#include "weir/env/posix/syscalls.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

namespace weir::env {

const SystemCalls& real_system_calls() {
  static constexpr SystemCalls kReal{
      .open = [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); },
      .close = ::close,
      .pread = ::pread,
      .write = ::write,
      .set_flags = [](int fd, int flags) { return ::fcntl(fd, F_SETFL, flags); },
      .fsync = ::fsync,
      .fdatasync = ::fdatasync,
      .flock = ::flock,
      .fstat = ::fstat,
      .stat = ::stat,
      .rename = ::rename,
      .link = ::link,
      .unlink = ::unlink,
      .mkdir = ::mkdir,
      .rmdir = ::rmdir,
      .fdopendir = ::fdopendir,
      .readdir = ::readdir,
      .closedir = ::closedir,
  };
  return kReal;
}

}  // namespace weir::env
