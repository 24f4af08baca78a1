#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/env/api/file_system.h"

namespace weir::test {

// A disk in memory with the worst honest memory: after a power cut it holds exactly what was
// synced, and not a byte or name more.
//
//   Shape   paths begin at its root, with or without a '/'; directories must be made before use
//   Errors  as env::FileSystem says; every call of a file that was open during the cut fails
//   Thread  any
class MemoryFiles final : public env::FileSystem {
 public:
  MemoryFiles();
  ~MemoryFiles() override;

  // Forgets what was not synced: bytes without sync(), names without sync_directory(). Locks end.
  void cut_power();
  // Whether lock() finds locks here at all.
  void set_locks(bool has_locks) { has_locks_ = has_locks; }
  // Every file below `path` by its path relative to it, in order.
  std::vector<std::string> tree(const std::string& path);
  // The whole content, or replaces it, past all rules of durability.
  Result<Bytes> peek(const std::string& path);
  void poke(const std::string& path, Bytes bytes);

  Result<std::unique_ptr<env::ReadableFile>> open(const std::string& path) override;
  Result<std::unique_ptr<env::WritableFile>> create(const std::string& path,
                                                    env::Create how) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status link(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_directory(const std::string& path) override;
  Status make_directories(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<env::DirectoryEntry>> list(const std::string& path) override;
  Result<env::FileInfo> info(const std::string& path) override;
  Result<env::LockOutcome> lock(const std::string& path) override;

 private:
  struct Node;
  struct Disk;
  struct Place;
  class Reader;
  class Writer;
  class Lock;

  std::shared_ptr<Disk>
      disk_;  // Files and locks hold it too, so that they may outlive this object.
  bool has_locks_ = true;
};

}  // namespace weir::test
