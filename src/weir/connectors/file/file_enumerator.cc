#include "weir/connectors/file/file_enumerator.h"

#include <algorithm>
#include <tuple>

#include "weir/base/checksum.h"
#include "weir/connectors/file/file_identity.h"
#include "weir/types/serializer.h"

namespace weir::connectors {

Status FileEnumerator::open(SourceContext& context,
                            const std::optional<std::vector<Bytes>>& state) {
  WEIR_TRY(check_options());
  if (!state) {
    WEIR_TRY(list(context.env->files));
  } else {
    for (const auto& element : *state) {
      WEIR_ASSIGN(auto split, file_split_from(element));
      add(std::move(split));
    }
  }
  std::sort(unassigned_.begin(), unassigned_.end(), [](const FileSplit& a, const FileSplit& b) {
    return std::tie(a.path, a.begin) < std::tie(b.path, b.begin);
  });
  return ok();
}

std::optional<Bytes> FileEnumerator::next_split(SubtaskIndex) {
  if (unassigned_.empty()) return std::nullopt;
  const auto split = std::move(unassigned_.front());
  unassigned_.pop_front();
  unassigned_bytes_ -= split.end - split.begin;
  return serialize(split);
}

std::vector<Bytes> FileEnumerator::snapshot() {
  std::vector<Bytes> elements;
  for (const auto& split : unassigned_) elements.push_back(serialize(split));
  return elements;
}

Status FileEnumerator::check_options() const {
  const auto complain = [this](const std::string& what) {
    return Error{Code::kInvalid, "reading lines of " + path_ + ": " + what + " must be at least 1"};
  };
  if (path_.empty())
    return Error{Code::kInvalid,
                 "reading lines: the path is empty; name a text file, or a directory of them"};
  if (options_.split_bytes == 0) return complain("split_bytes");
  if (options_.line_bytes_max == 0) return complain("line_bytes_max");
  if (options_.chunk_bytes == 0) return complain("chunk_bytes");
  return ok();
}

Status FileEnumerator::list(env::FileSystem& files) {
  WEIR_ASSIGN(const auto found, paths(files));
  for (const auto& path : found) WEIR_TRY(add_file(files, path));
  return ok();
}

Result<std::vector<std::string>> FileEnumerator::paths(env::FileSystem& files) const {
  const auto info = files.info(path_);
  if (!info) return input_error(info.error(), path_);
  if (!info->is_directory) return std::vector{path_};
  const auto entries = files.list(path_);
  if (!entries) return input_error(entries.error(), path_);
  std::vector<std::string> found;
  for (const auto& entry : *entries)
    if (!entry.is_directory && entry.name[0] != '.' && entry.name[0] != '_')
      found.push_back(env::join(path_, entry.name));
  return found;
}

Status FileEnumerator::add_file(env::FileSystem& files, const std::string& path) {
  auto file = files.open(path);
  if (!file) return input_error(file.error(), path);
  WEIR_ASSIGN(const auto identity, identify(files, **file, path));
  for (std::uint64_t begin = 0; begin < identity.size;) {
    const auto left = identity.size - begin;
    const auto end = begin + std::min(left, options_.split_bytes);
    const auto tail = checksum_before(**file, begin);
    if (!tail) return input_error(tail.error(), path);
    add({.path = path,
         .begin = begin,
         .end = end,
         .next = begin,
         .file = identity,
         .tail_checksum = *tail});
    begin = end;
  }
  return ok();
}

void FileEnumerator::add(FileSplit split) {
  unassigned_bytes_ += split.end - split.begin;
  unassigned_.push_back(std::move(split));
}

}  // namespace weir::connectors
