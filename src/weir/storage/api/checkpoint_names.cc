#include "weir/storage/api/checkpoint_names.h"

#include <algorithm>
#include <charconv>

namespace weir::storage {
namespace {

constexpr std::string_view kDirectoryPrefix = "chk-";
constexpr std::size_t kNameBytesMax = 1024;

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

bool has_part_that_leads_elsewhere(std::string_view name) {
  for (std::size_t at = 0; at <= name.size();) {
    const auto end = std::min(name.find('/', at), name.size());
    const auto part = name.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::string checkpoint_directory(CheckpointId id) {
  return std::string(kDirectoryPrefix) + std::to_string(id.value);
}

std::optional<CheckpointId> checkpoint_of_directory(std::string_view name) {
  if (!name.starts_with(kDirectoryPrefix)) return std::nullopt;
  CheckpointId id;
  const auto digits = name.substr(kDirectoryPrefix.size());
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), id.value);
  if (read.ec != std::errc() || name != checkpoint_directory(id)) return std::nullopt;
  return id;
}

std::optional<JobId> run_of_directory(std::string_view name) {
  const auto run = JobId::from_hex(name);
  if (!run || run->to_hex() != name) return std::nullopt;
  return *run;
}

std::string metadata_name(CheckpointId id) {
  return checkpoint_directory(id) + "/" + std::string(kMetadataName);
}

std::string data_file_name(const DataFile& file) {
  WEIR_CHECK(is_word(file.what));
  return checkpoint_directory(file.checkpoint) + "/e" + std::to_string(file.epoch.value) + "-a" +
         std::to_string(file.attempt.value) + "-" + file.op.to_hex() + "-" +
         std::to_string(file.subtask.value) + "." + std::string(file.what);
}

bool is_own_file(CheckpointId id, std::string_view name) {
  return name.starts_with(checkpoint_directory(id) + "/");
}

Status check_relative_name(std::string_view name) {
  const char* wrong = nullptr;
  if (name.empty())
    wrong = "it is empty";
  else if (name.size() > kNameBytesMax)
    wrong = "it has more than 1024 bytes";
  else if (name.front() == '/')
    wrong = "it is absolute";
  else if (has_part_that_leads_elsewhere(name))
    wrong = "a part of it is empty, '.' or '..'";
  else if (has_control_character(name))
    wrong = "it holds a control character";
  if (!wrong) return ok();
  return Error{Code::kInvalid, "checking the file name '" + std::string(name.substr(0, 100)) +
                                   "', which must be relative: " + wrong};
}

}  // namespace weir::storage
