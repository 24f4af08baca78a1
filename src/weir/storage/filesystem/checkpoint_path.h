#pragma once

#include <string>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/env/api/file_system.h"

namespace weir::storage {

// A checkpoint that a person named by a path.
struct CheckpointPath {
  std::string directory;  // the run's, which the names in its _metadata are relative to
  CheckpointId id;
  friend bool operator==(const CheckpointPath&, const CheckpointPath&) = default;
};

// Takes ".../chk-17", with or without a '/' behind it, and ".../chk-17/_metadata".
//
//   Errors  kNotFound where there is nothing, or a directory without _metadata; kInvalid where the
//           directory's name is no checkpoint's
//   Source  Flink: AbstractFsCheckpointStorageAccess.resolveCheckpointPointer
Result<CheckpointPath> find_checkpoint(env::FileSystem& files, std::string path);

}  // namespace weir::storage
