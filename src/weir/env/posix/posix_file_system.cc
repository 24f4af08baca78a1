#include "weir/env/posix/posix_file_system.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>

#include "weir/env/posix/internal/bulk_file.h"
#include "weir/env/posix/internal/descriptor.h"
#include "weir/env/posix/internal/system_error.h"

namespace weir::env {
namespace {

constexpr mode_t kDirectoryMode = 0777;

Result<struct stat> stat_of(const Descriptor& file) {
  struct stat info {};
  if (uninterrupted([&] { return file.calls().fstat(file.fd(), &info); }) != 0)
    return system_error("fstat", file.path(), errno);
  return info;
}

class PosixReadableFile final : public ReadableFile {
 public:
  explicit PosixReadableFile(Descriptor file) : file_(std::move(file)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    std::size_t got = 0;
    while (got != into.size()) {
      const ssize_t more = uninterrupted([&] {
        return file_.calls().pread(file_.fd(), into.data() + got, into.size() - got,
                                   static_cast<off_t>(offset + got));
      });
      if (more < 0) return system_error("read", file_.path(), errno);
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    return got;
  }

  Result<std::uint64_t> size() override {
    WEIR_ASSIGN(const auto info, stat_of(file_));
    return static_cast<std::uint64_t>(info.st_size);
  }

 private:
  Descriptor file_;
};

class PosixWritableFile final : public WritableFile {
 public:
  explicit PosixWritableFile(Descriptor file) : file_(std::move(file)) {}

  Status append(ByteView bytes) override {
    while (!bytes.empty()) {
      const ssize_t done = file_.write(bytes);
      if (done < 0) return system_error("write", file_.path(), errno);
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return ok();
  }
  Status sync() override { return file_.sync_data(); }
  Status close() override { return file_.close(); }

 private:
  Descriptor file_;
};

class PosixFileLock final : public FileLock {
 public:
  explicit PosixFileLock(Descriptor file) : file_(std::move(file)) {}

 private:
  Descriptor file_;  // Closing it lets the lock go.
};

Result<LockOutcome> not_locked(const std::string& path, int number) {
  using Kind = LockOutcome::Kind;
  if (number == EWOULDBLOCK)
    return LockOutcome{Kind::kHeldElsewhere, nullptr, "flock " + path + ": it is held already"};
  if (number == ENOLCK || number == EOPNOTSUPP || number == ENOSYS)
    return LockOutcome{Kind::kNoLocks, nullptr,
                       "flock " + path +
                           ": this filesystem has no locks; put the directory on one that has (a "
                           "local disk, NFS 4 or newer mounted without nolock)"};
  return system_error("flock", path, number);
}

// A pipe, a device: it has no size and no offsets, so nothing could be read of it.
Error no_regular_file(const std::string& path) {
  return {Code::kInvalid, "open " + path + ": it is no regular file"};
}

// Whether an entry is a directory, or a link to one.
bool is_directory_entry(const SystemCalls& calls, const std::string& path, unsigned char type) {
  if (type == DT_DIR) return true;
  if (type != DT_UNKNOWN && type != DT_LNK) return false;
  struct stat info {};
  return uninterrupted([&] { return calls.stat(path.c_str(), &info); }) == 0 &&
         S_ISDIR(info.st_mode);
}

}  // namespace

PosixFileSystem::PosixFileSystem(const SystemCalls& calls) : calls_(calls) {}

Result<std::unique_ptr<ReadableFile>> PosixFileSystem::open(const std::string& path) {
  // Opening a pipe would otherwise wait for a writer, on a thread that others need.
  WEIR_ASSIGN(auto file, Descriptor::open(calls_, path, O_RDONLY | O_NONBLOCK));
  WEIR_ASSIGN(const auto info, stat_of(file));
  if (S_ISDIR(info.st_mode)) return system_error("open", path, EISDIR);
  if (!S_ISREG(info.st_mode)) return no_regular_file(path);
  return std::unique_ptr<ReadableFile>(std::make_unique<PosixReadableFile>(std::move(file)));
}

Result<std::unique_ptr<WritableFile>> PosixFileSystem::create(const std::string& path, Create how) {
  const int flags =
      O_WRONLY | O_APPEND | O_CREAT | (how == Create::kNew ? int{O_EXCL} : int{O_TRUNC});
  WEIR_ASSIGN(auto file, Descriptor::open(calls_, path, flags));
  return std::unique_ptr<WritableFile>(std::make_unique<PosixWritableFile>(std::move(file)));
}

Result<std::unique_ptr<WritableFile>> PosixFileSystem::create_bulk(const std::string& path) {
  WEIR_ASSIGN(auto file, Descriptor::open(calls_, path, BulkFile::kOpenFlags));
  return std::unique_ptr<WritableFile>(std::make_unique<BulkFile>(std::move(file)));
}

Status PosixFileSystem::rename(const std::string& from, const std::string& to) {
  if (uninterrupted([&] { return calls_.rename(from.c_str(), to.c_str()); }) == 0) return ok();
  const int error = errno;
  return system_error("rename", from + " to " + to, error);
}

Status PosixFileSystem::link(const std::string& from, const std::string& to) {
  if (uninterrupted([&] { return calls_.link(from.c_str(), to.c_str()); }) == 0) return ok();
  const int error = errno;  // Before anything that may set it.
  const auto what = from + " to " + to;
  // Not kRefused: a caller takes that to mean that `to` exists.
  if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS)
    return Error{Code::kInvalid, "link " + what + ": this file cannot have a second name here"};
  return system_error("link", what, error);
}

Status PosixFileSystem::remove(const std::string& path) {
  if (uninterrupted([&] { return calls_.unlink(path.c_str()); }) != 0)
    return system_error("unlink", path, errno);
  return ok();
}

Status PosixFileSystem::remove_directory(const std::string& path) {
  if (uninterrupted([&] { return calls_.rmdir(path.c_str()); }) != 0)
    return system_error("rmdir", path, errno);
  return ok();
}

// Whether there is a directory: false where there is nothing, an error where there is a file.
Result<bool> PosixFileSystem::is_directory(const std::string& path) {
  struct stat info {};
  if (uninterrupted([&] { return calls_.stat(path.c_str(), &info); }) != 0) {
    if (errno == ENOENT) return false;
    return system_error("stat", path, errno);
  }
  if (!S_ISDIR(info.st_mode)) return system_error("mkdir", path, ENOTDIR);
  return true;
}

Status PosixFileSystem::make_directories(const std::string& path) {
  std::vector<std::string> missing;
  std::string existing = path;
  for (;;) {
    WEIR_ASSIGN(const bool is_there, is_directory(existing));
    if (is_there) break;
    missing.push_back(existing);
    existing = parent_of(existing);
  }
  // A parent that may not be opened belongs to somebody else, so we did not make what is in it.
  if (auto synced = sync_directory(parent_of(existing));
      !synced && synced.error().code != Code::kRefused)
    return synced;
  for (auto directory = missing.rbegin(); directory != missing.rend(); ++directory) {
    const int made =
        uninterrupted([&] { return calls_.mkdir(directory->c_str(), kDirectoryMode); });
    // Somebody else may have been faster, but what they made must be a directory.
    if (made != 0) {
      const int number = errno;
      if (number != EEXIST) return system_error("mkdir", *directory, number);
      WEIR_ASSIGN(const bool is_there, is_directory(*directory));
      if (!is_there) return system_error("mkdir", *directory, number);
    }
    WEIR_TRY(sync_directory(parent_of(*directory)));
  }
  return ok();
}

Status PosixFileSystem::sync_directory(const std::string& path) {
  WEIR_ASSIGN(auto directory, Descriptor::open(calls_, path, O_RDONLY | O_DIRECTORY));
  if (uninterrupted([&] { return calls_.fsync(directory.fd()); }) != 0)
    return system_error("fsync", path, errno);
  return ok();
}

Result<std::vector<DirectoryEntry>> PosixFileSystem::list(const std::string& path) {
  WEIR_ASSIGN(auto descriptor, Descriptor::open(calls_, path, O_RDONLY | O_DIRECTORY));
  DIR* directory = calls_.fdopendir(descriptor.fd());
  if (!directory) return system_error("opendir", path, errno);
  descriptor.release();  // closedir closes it.
  std::vector<DirectoryEntry> entries;
  int number = 0;
  for (;;) {
    errno = 0;
    const dirent* entry = calls_.readdir(directory);
    if (!entry) {
      number = errno;
      break;
    }
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const bool is_dir = is_directory_entry(calls_, join(path, name), entry->d_type);
    entries.push_back({std::move(name), is_dir});
  }
  calls_.closedir(directory);
  if (number != 0) return system_error("readdir", path, number);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

Result<FileInfo> PosixFileSystem::info(const std::string& path) {
  struct stat info {};
  if (uninterrupted([&] { return calls_.stat(path.c_str(), &info); }) != 0)
    return system_error("stat", path, errno);
  return FileInfo{.size = static_cast<std::uint64_t>(info.st_size),
                  .device = info.st_dev,
                  .inode = info.st_ino,
                  .is_directory = S_ISDIR(info.st_mode)};
}

Result<LockOutcome> PosixFileSystem::lock(const std::string& path) {
  WEIR_ASSIGN(auto file, Descriptor::open(calls_, path, O_RDWR | O_CREAT));
  if (uninterrupted([&] { return calls_.flock(file.fd(), LOCK_EX | LOCK_NB); }) != 0)
    return not_locked(path, errno);
  return LockOutcome{.lock = std::make_unique<PosixFileLock>(std::move(file)), .why = {}};
}

}  // namespace weir::env
