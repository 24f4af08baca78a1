#include "weir/storage/filesystem/checkpoint_path.h"

#include "weir/storage/api/checkpoint_names.h"

namespace weir::storage {
namespace {

std::string last_part_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<CheckpointPath> find_checkpoint(env::FileSystem& files, std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const auto info = files.info(path);
  if (!info && info.error().code == Code::kNotFound)
    return Error{Code::kNotFound, "Cannot find checkpoint or savepoint file/directory '" + path +
                                      "' (" + info.error().what + ")"};
  if (!info) return info.error();
  if (info->is_directory) {
    const auto metadata = files.info(env::join(path, kMetadataName));
    if (!metadata && metadata.error().code == Code::kNotFound)
      return Error{Code::kNotFound,
                   "Cannot find meta data file '_metadata' in directory '" + path + "'"};
    if (!metadata) return metadata.error();
  } else {
    if (last_part_of(path) != kMetadataName)
      return Error{Code::kInvalid, "Reading a checkpoint at '" + path +
                                       "': want a directory chk-N, or the _metadata in it"};
    path = env::parent_of(path);
  }
  const auto id = checkpoint_of_directory(last_part_of(path));
  if (!id)
    return Error{Code::kInvalid,
                 "Reading a checkpoint at '" + path + "': want a directory named chk-N"};
  return CheckpointPath{env::parent_of(path), *id};
}

}  // namespace weir::storage
