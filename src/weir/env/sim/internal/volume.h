#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/random.h"
#include "weir/base/result.h"
#include "weir/env/api/file_system.h"

namespace weir::sim {

// When something was done to a Volume, in order. A sync covers what was done before its mark.
using Mark = std::uint64_t;

struct Inode;
// Shared, though it changes: a file lives as long as a name, an open handle or a change that may
// still be lost refers to it, which is what an inode is.
using InodePtr = std::shared_ptr<Inode>;

// An append, or the emptying of a file, that a crash may lose.
struct UnsyncedWrite {
  Mark mark = 0;
  bool is_truncation = false;
  std::uint64_t offset = 0;
  Bytes bytes;
};

// A change of one directory that a crash may lose: as a whole, since a rename within a directory is
// one step. Empty names are none.
struct UnsyncedName {
  Mark mark = 0;
  std::string removed;
  std::string added;
  InodePtr inode;  // Of what was added.
};

// A file or directory: as it is seen, and as much of it as would survive a crash.
struct Inode {
  std::uint64_t number = 0;
  bool is_directory = false;

  // A file.
  Bytes content;
  Bytes durable;
  std::vector<UnsyncedWrite> unsynced;
  std::uint32_t names = 0;
  std::uint32_t handles = 0;
  bool is_counted = false;  // In Volume::bytes_used().

  // A directory.
  std::map<std::string, InodePtr> entries;
  std::map<std::string, InodePtr> durable_entries;
  std::vector<UnsyncedName> unsynced_names;
};

// Puts bytes at an offset; what lies between the end and there becomes zeros.
void write_at(Bytes& content, std::uint64_t offset, ByteView bytes);

// What a crash of the machine does to what was not synced.
enum class CrashMode : unsigned char {
  kRandom,          // any part of it survives, in any order, perhaps torn
  kKeepNothing,     // nothing of it survives
  kKeepEverything,  // only the process died: all is still to be seen, and still not durable
};

// Files, directories and names, with what is durable of them. Calls have no duration and no faults;
// the errors are those of a POSIX file system, without call and path.
//
//   Shape   paths are taken from the root, with or without a leading '/'; ".." is refused. A
//           directory is renamed within its parent only
//   Source  what fsync(2), rename(2) and "All File Systems Are Not Created Equal" (Pillai et al.
//           2014) leave open
class Volume {
 public:
  Volume();

  Mark mark() const { return marks_; }
  Result<InodePtr> find(const std::string& path) const;
  Result<InodePtr> find_directory(const std::string& path) const;
  Result<InodePtr> create(const std::string& path, env::Create how);
  Status rename(const std::string& from, const std::string& to);
  Status link(const std::string& from, const std::string& to);
  Status remove(const std::string& path);
  Status remove_directory(const std::string& path);
  Status make_directory(const std::string& path);

  void append(Inode& file, ByteView bytes);
  // Makes durable what was done to the file before `until`.
  void sync(Inode& file, Mark until);
  // A sync that failed: the same will never be durable, and looks as if it were.
  void lose(Inode& file, Mark until);
  void sync_names(Inode& directory, Mark until);

  // An open handle keeps a file that has lost its last name.
  void retain(Inode& file);
  void release(Inode& file);
  // Content of all files that have a name or a handle.
  std::uint64_t bytes_used() const { return bytes_used_; }

  // Puts a durable file where it is missing, with the directories above it, or replaces it.
  Status put(const std::string& path, ByteView content);
  void crash(CrashMode mode, Random& random);
  // The paths of all files that can be seen, in order.
  std::vector<std::string> paths() const;

 private:
  // Where a name is or could be.
  struct Place {
    InodePtr directory;
    std::string name;
    InodePtr inode;  // nullptr where there is none.
  };

  Result<Place> place(const std::string& path) const;
  InodePtr make_inode(bool is_directory);
  void add_name(Inode& directory, const std::string& name, const InodePtr& inode);
  void drop_name(Inode& directory, const std::string& name);
  static Status check_rename(const Place& source, const Place& target);
  void count(Inode& file);
  void settle(Inode& file);
  void recount();

  InodePtr root_;
  std::map<std::uint64_t, std::weak_ptr<Inode>> inodes_;  // All of them, for crash().
  std::uint64_t made_ = 0;
  Mark marks_ = 0;
  std::uint64_t bytes_used_ = 0;
};

}  // namespace weir::sim
