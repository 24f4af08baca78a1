#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "weir/env/api/file_system.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::storage {

// CheckpointStorage on a filesystem. Directories are made when the first file needs them.
//
//   Shape   <directory>/chk-N/_metadata and the data files beside it; a file that is being written
//           as _metadata.tmp, or by put_if_absent as NAME.e<epoch>-<count>.tmp
//   Thread  any
//   Source  Flink's layout: FsCheckpointStorageAccess
class FilesystemStorage final : public CheckpointStorage {
 public:
  struct Options {
    std::string directory;  // the run's: <checkpoint-dir>/<job name>/<job-id>
    Epoch epoch;            // of this process
    std::size_t inline_bytes_max =
        kInlineBytesMax;  // execution.checkpointing.data-inline-threshold
  };
  // `files` outlives the storage and its streams.
  FilesystemStorage(env::FileSystem& files, Options options);

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
  std::size_t inline_bytes_max() const override { return inline_bytes_max_; }
  std::string place() const override { return directory_; }

 private:
  std::string path_of(std::string_view name) const { return env::join(directory_, name); }
  using CreateFile = std::function<Result<std::unique_ptr<env::WritableFile>>()>;
  Result<std::unique_ptr<env::WritableFile>> with_directory(const std::string& path,
                                                            const CreateFile& create);
  Status write_whole(const std::string& path, env::Create how, ByteView bytes);
  Status prepare_metadata(CheckpointId id, ByteView metadata);
  Status remove_metadata(const std::string& chk);
  Result<std::vector<env::DirectoryEntry>> list(const std::string& directory);
  Result<bool> remove_if_empty(const std::string& directory);
  Status remove_whole(const std::string& chk);
  Result<std::vector<CheckpointId>> sweep_run(const std::string& run,
                                              const std::function<bool(CheckpointId)>& is_kept);

  env::FileSystem& files_;
  const std::string directory_;
  const Epoch epoch_;
  const std::size_t inline_bytes_max_;
  std::atomic<std::uint64_t> temporaries_{0};  // No partner: only its uniqueness counts.
};

}  // namespace weir::storage
