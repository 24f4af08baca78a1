#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace weir::env {

// The system calls that PosixFileSystem makes, each with the kernel's own contract: -1 (nullptr)
// and errno. A test replaces one to bring about what a real disk does once in a year.
struct SystemCalls {
  int (*open)(const char* path, int flags, mode_t mode);
  int (*close)(int fd);
  ssize_t (*pread)(int fd, void* into, size_t size, off_t offset);
  ssize_t (*write)(int fd, const void* bytes, size_t size);
  int (*set_flags)(int fd, int flags);  // fcntl, F_SETFL
  int (*fsync)(int fd);
  int (*fdatasync)(int fd);
  int (*flock)(int fd, int operation);
  int (*fstat)(int fd, struct stat* info);
  int (*stat)(const char* path, struct stat* info);
  int (*rename)(const char* from, const char* to);
  int (*link)(const char* from, const char* to);
  int (*unlink)(const char* path);
  int (*mkdir)(const char* path, mode_t mode);
  int (*rmdir)(const char* path);
  DIR* (*fdopendir)(int fd);
  dirent* (*readdir)(DIR* directory);
  int (*closedir)(DIR* directory);
};

// The kernel's.
const SystemCalls& real_system_calls();

}  // namespace weir::env
