#include "weir/connectors/file/file_identity.h"

#include <algorithm>
#include <array>

#include "weir/base/checksum.h"

namespace weir::connectors {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

// Device and inode are no proof of anything, but they tell a person where to look.
std::string place(const FileIdentity& was, const FileIdentity& is) {
  if (was.device == is.device && was.inode == is.inode) return "; it was written anew in place";
  return "; another file has its name now (inode " + number(is.inode) + ", was " +
         number(was.inode) + ")";
}

Error replaced(const FileSplit& split, std::uint64_t from, std::uint64_t to,
               const std::string& why = {}) {
  return {
      Code::kCorrupt,
      "reading " + split.path + ": bytes " + number(from) + " to " + number(to) +
          " are not those that were there when the job first looked; what was read of it before "
          "would not fit" +
          why + std::string(kInputAdvice)};
}

}  // namespace

Error input_error(const Error& error, const std::string& path) {
  auto code = error.code;
  if (code == Code::kNotFound) code = Code::kInvalid;
  return Error{code, error.what}.during("reading input " + path);
}

Result<std::uint64_t> checksum_before(env::ReadableFile& file, std::uint64_t offset) {
  std::array<std::byte, kIdentityBytes> bytes;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(offset, kIdentityBytes));
  WEIR_ASSIGN(const auto got, file.read_at(offset - size, std::span(bytes).first(size)));
  return checksum(ByteView(bytes).first(got));
}

Result<FileIdentity> identify(env::FileSystem& files, env::ReadableFile& file,
                              const std::string& path) {
  const auto info = files.info(path);
  if (!info) return input_error(info.error(), path);
  if (info->is_directory)
    return Error{Code::kInvalid, "reading input " + path + ": it is a directory"};
  const auto size = file.size();
  if (!size) return input_error(size.error(), path);
  const auto head = checksum_before(file, std::min<std::uint64_t>(*size, kIdentityBytes));
  if (!head) return input_error(head.error(), path);
  return FileIdentity{
      .size = *size, .head_checksum = *head, .device = info->device, .inode = info->inode};
}

Status check_identity(env::FileSystem& files, env::ReadableFile& file, const FileSplit& split) {
  WEIR_ASSIGN(const auto now, identify(files, file, split.path));
  const auto& was = split.file;
  if (now.size < was.size)
    return Error{Code::kCorrupt, "reading " + split.path + ": it has " + number(now.size) +
                                     " bytes, but had " + number(was.size) +
                                     " when the job first looked: it was truncated or replaced" +
                                     place(was, now) + std::string(kInputAdvice)};
  auto head = now.head_checksum;
  const auto head_bytes = std::min<std::uint64_t>(was.size, kIdentityBytes);
  if (now.size > was.size && was.size < kIdentityBytes) {
    const auto old_part = checksum_before(file, head_bytes);  // It grew within its first bytes.
    if (!old_part) return input_error(old_part.error(), split.path);
    head = *old_part;
  }
  if (head == was.head_checksum) return ok();
  return replaced(split, 0, head_bytes, place(was, now));
}

Status check_tail(const FileSplit& split, ByteView before_next) {
  if (checksum(before_next) == split.tail_checksum) return ok();
  return replaced(split, split.next - before_next.size(), split.next);
}

}  // namespace weir::connectors
