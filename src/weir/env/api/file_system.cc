#include "weir/env/api/file_system.h"

#include "weir/base/mutant.h"

namespace weir::env {

Result<Bytes> read_file(FileSystem& files, const std::string& path, std::uint64_t bytes_max) {
  WEIR_ASSIGN(const auto file, files.open(path));
  WEIR_ASSIGN(const auto size, file->size());
  if (size > bytes_max)
    return Error{Code::kExhausted, "reading " + path + ": it has " + std::to_string(size) +
                                       " bytes, more than the limit of " +
                                       std::to_string(bytes_max)};
  Bytes bytes(size);
  WEIR_ASSIGN(const auto got, file->read_at(0, bytes));
  if (got != size)
    return Error{Code::kUnavailable, "reading " + path + ": it became shorter, " +
                                         std::to_string(got) + " of " + std::to_string(size) +
                                         " bytes"};
  return bytes;
}

Status replace_file(FileSystem& files, const std::string& path, ByteView bytes) {
  const auto temporary = path + ".tmp";
  WEIR_ASSIGN(const auto file, files.create(temporary, Create::kOrTruncate));
  WEIR_TRY(file->append(bytes));
  if (!mutant(Mutant::kMetadataSyncDropped)) WEIR_TRY(file->sync());
  WEIR_TRY(file->close());
  WEIR_TRY(files.rename(temporary, path));
  if (mutant(Mutant::kDirectorySyncDropped)) return ok();
  return files.sync_directory(parent_of(path));
}

std::string join(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  path += name;
  return path;
}

std::string tidy(std::string_view path) {
  std::string tidied = path.starts_with('/') ? "/" : "";
  while (!path.empty()) {
    const auto name = path.substr(0, path.find('/'));
    if (!name.empty() && name != ".") tidied = join(tidied, name);
    path.remove_prefix(std::min(name.size() + 1, path.size()));
  }
  return tidied.empty() ? "." : tidied;
}

std::string parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

}  // namespace weir::env
