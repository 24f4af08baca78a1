#pragma once

#include <memory>
#include <string>

#include "weir/env/api/file_system.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::storage {

// A data file on a filesystem while it is written.
class FileStream final : public CheckpointStream {
 public:
  struct Names {
    std::string name;  // relative, for the handle
    std::string path;
  };
  FileStream(env::FileSystem& files, Names names, std::unique_ptr<env::WritableFile> file);
  ~FileStream() override;

  Status append(ByteView bytes) override;
  Result<checkpoint::FileHandle> commit(std::uint64_t checksum) override;
  void abort() override;

 private:
  enum class Phase : unsigned char { kOpen, kBroken, kCommitted, kAborted };

  env::FileSystem& files_;
  const Names names_;
  std::unique_ptr<env::WritableFile> file_;
  std::uint64_t length_ = 0;
  Phase phase_ = Phase::kOpen;
};

}  // namespace weir::storage
