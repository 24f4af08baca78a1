#pragma once

#include <map>
#include <memory>
#include <string>

#include "weir/base/mutex.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::storage {

// What a MemoryStorage keeps its files in. It is shared, so that a job that starts anew in the same
// process finds what it left.
//
//   Thread  any
class MemoryVault {
 public:
  using Content = std::shared_ptr<const Bytes>;

  // False where the name exists. Until put() it is taken, but nothing is there to be read.
  bool reserve(const std::string& name);
  void put(const std::string& name, Bytes bytes);
  void erase(const std::string& name);
  // nullptr where there is nothing.
  Content find(const std::string& name) const;
  // The names that begin with `prefix`, reserved ones too, in order.
  std::vector<std::string> names(const std::string& prefix) const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, Content> files_ WEIR_GUARDED_BY(mutex_);
};

// CheckpointStorage in a MemoryVault. Nothing fails and nothing outlives the process.
//
//   Thread  any
class MemoryStorage final : public CheckpointStorage {
 public:
  // `directory` keeps the runs apart that share a vault; the vault is shared with them.
  MemoryStorage(std::shared_ptr<MemoryVault> vault, std::string directory);

  Result<std::unique_ptr<CheckpointStream>> create(const std::string& name) override;
  Result<std::unique_ptr<env::ReadableFile>> open(const checkpoint::FileHandle& file) override;
  Written publish(CheckpointId id, ByteView metadata) override;
  Result<Bytes> read_metadata(CheckpointId id) override;
  Status discard(CheckpointId id, std::span<const checkpoint::FileHandle> files) override;
  Status remove(std::span<const checkpoint::FileHandle> files) override;
  Result<std::vector<CheckpointId>> sweep(const std::set<CheckpointId>& keep,
                                          CheckpointId below) override;
  Result<std::vector<JobId>> sweep_other_runs(const std::set<JobId>& keep) override;
  Written put_if_absent(const std::string& name, ByteView bytes) override;
  std::string place() const override { return "memory:" + directory_; }

 private:
  std::string path_of(std::string_view name) const { return env::join(directory_, name); }

  const std::shared_ptr<MemoryVault> vault_;
  const std::string directory_;
};

}  // namespace weir::storage
