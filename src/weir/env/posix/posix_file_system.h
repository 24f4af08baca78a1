#pragma once

#include "weir/env/api/file_system.h"
#include "weir/env/posix/syscalls.h"

namespace weir::env {

// The files of this machine. Calls that a signal interrupts are made again, short writes and reads
// are continued, every descriptor is closed on exec.
//
//   Errors  by the reason that the kernel gives: EACCES, EPERM, EROFS, EEXIST, ENOTEMPTY kRefused;
//           ENOENT kNotFound; ENOSPC, EDQUOT, EFBIG, EMLINK, EMFILE, ENFILE kExhausted; ENOTDIR,
//           EISDIR, EXDEV, ELOOP, ENAMETOOLONG, EINVAL kInvalid; any other kUnavailable.
//           The text is "call path: reason", with what can be done where there is something
//   Thread  any
class PosixFileSystem final : public FileSystem {
 public:
  explicit PosixFileSystem(const SystemCalls& calls = real_system_calls());

  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> create(const std::string& path, Create how) override;
  Result<std::unique_ptr<WritableFile>> create_bulk(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status link(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_directory(const std::string& path) override;
  // Also makes durable the last directory on the way that exists already: who made it may have been
  // killed before its name was. What lies above that one is durable, since it was made this way.
  Status make_directories(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<DirectoryEntry>> list(const std::string& path) override;
  Result<FileInfo> info(const std::string& path) override;
  Result<LockOutcome> lock(const std::string& path) override;

 private:
  Result<bool> is_directory(const std::string& path);

  const SystemCalls& calls_;
};

}  // namespace weir::env
