#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/result.h"

namespace weir::env {

// A file that is only read. Reading at an offset does not disturb other readers.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Fills `into` from `offset` on as far as the file goes; fewer bytes than asked for mean its end.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) = 0;
  virtual Result<std::uint64_t> size() = 0;
};

// A file that is only appended to.
//
//   Errors  kExhausted: no room, kUnavailable: the disk said no. After an append that failed the
//           file's content is undefined; after a sync that failed nothing is known about what is
//           durable, and a later sync that succeeds does not change that
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  // All of it, or an error; never a part that is called success.
  virtual Status append(ByteView bytes) = 0;
  // What was appended survives a crash. Says nothing about the file's name: see sync_directory.
  virtual Status sync() = 0;
  // Flushes to the system, not to the disk. Called at most once; the destructor closes without
  // telling.
  virtual Status close() = 0;
};

// Held as long as it lives; the system lets it go when the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// What became of an attempt to lock a file.
struct LockOutcome {
  enum class Kind : unsigned char {
    kTaken,
    kHeldElsewhere,  // somebody holds it, be it another process or this one
    kNoLocks,        // this filesystem has none
  };
  Kind kind = Kind::kTaken;
  std::unique_ptr<FileLock> lock;  // of kTaken, null for the others
  std::string why;                 // of the others: call, path and reason
};

// What a path is.
struct FileInfo {
  std::uint64_t size = 0;
  std::uint64_t device = 0;  // With inode: to explain, never to decide.
  std::uint64_t inode = 0;
  bool is_directory = false;
};

// One name in a listing.
struct DirectoryEntry {
  std::string name;  // Without the directory.
  bool is_directory = false;
};

enum class Create : unsigned char {
  kNew,         // kRefused where something of that name exists
  kOrTruncate,  // empties what exists
};

// Files and directories by path.
//
// A write, a name and a directory become durable apart from each other: after create + append, the
// bytes need file.sync() and the name needs sync_directory() of its directory. The same holds after
// rename, remove and make_directories.
//
//   Errors  kNotFound, kRefused (exists already, no permission), kExhausted (disk full, too
//           many open files), kInvalid (no such thing on this filesystem), kUnavailable (any other
//           error). The text names call, path and the system's reason
//   Thread  any; calls block, so they are made on the I/O pool or on a thread that may wait
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // kInvalid for what is no regular file.
  virtual Result<std::unique_ptr<ReadableFile>> open(const std::string& path) = 0;
  virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path, Create how) = 0;
  // A new file that will be large and is not read soon: nothing of it need stay in memory. It may keep what was
  // appended to itself until sync() or close(): so nothing of it can be read before, and an error may be told by a later
  // call than the one it belongs to. From then on every call tells it.
  virtual Result<std::unique_ptr<WritableFile>> create_bulk(const std::string& path) {
    return create(path, Create::kNew);
  }
  // Replaces `to` in one step where it exists.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  // Gives the file a second name in one step; kRefused where `to` exists. How "put if absent" is
  // done.
  virtual Status link(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;
  // Only an empty one.
  virtual Status remove_directory(const std::string& path) = 0;
  // With all that is missing above it, each made durable in its parent; succeeds where it exists
  // already.
  virtual Status make_directories(const std::string& path) = 0;
  virtual Status sync_directory(const std::string& path) = 0;
  // In order of name, without "." and "..".
  virtual Result<std::vector<DirectoryEntry>> list(const std::string& path) = 0;
  virtual Result<FileInfo> info(const std::string& path) = 0;
  // An exclusive lock on the file, which is created where it is missing. Does not wait. That somebody
  // holds it is an outcome; an error is that the file cannot be opened.
  virtual Result<LockOutcome> lock(const std::string& path) = 0;
};

// The whole file, which must not be larger than `bytes_max` (kExhausted).
Result<Bytes> read_file(FileSystem& files, const std::string& path, std::uint64_t bytes_max);

// Makes `path` hold exactly `bytes`, or leaves what was there: writes a temporary name beside it,
// syncs it, renames it, syncs the directory. After success the content is durable.
Status replace_file(FileSystem& files, const std::string& path, ByteView bytes);

// "a/b" + "c" -> "a/b/c".
std::string join(std::string_view directory, std::string_view name);
// The path without what changes nothing: "./a//b/" -> "a/b".
std::string tidy(std::string_view path);
// "a/b/c" -> "a/b"; "c" -> ".".
std::string parent_of(std::string_view path);

}  // namespace weir::env
