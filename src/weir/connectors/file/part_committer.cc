#include "weir/connectors/file/part_committer.h"

#include <algorithm>

#include "weir/base/checksum.h"
#include "weir/base/mutant.h"
#include "weir/connectors/file/owner_file.h"
#include "weir/connectors/file/part_names.h"

namespace weir::connectors {

Committer::Outcome PartCommitter::commit(const std::vector<commit::Committable>& committables) {
  if (committables.empty()) return {0, ok()};
  if (auto status = check_owner(committables.back()); !status) return {0, std::move(status)};
  std::size_t renamed = 0;
  Status status;
  for (; renamed != committables.size(); ++renamed)
    if (status = commit_one(committables[renamed]); !status) break;
  if (renamed == 0) return {0, std::move(status)};
  if (!mutant(Mutant::kDirectorySyncDropped))
    if (auto synced = files_.sync_directory(directory_); !synced) return {0, std::move(synced)};
  return {renamed, std::move(status)};
}

// Each time: the lock that keeps others out may have been removed by hand, or be none on this filesystem.
Status PartCommitter::check_owner(const commit::Committable& committable) {
  WEIR_ASSIGN(const auto owner, read_owner(files_, directory_));
  if (!owner || owner->job == committable.job) return ok();
  // Subtask 0 makes the directory this job's when it opens, and a checkpoint of this attempt comes after that.
  const bool was_ours = is_subtask_0_ || (has_checkpoints_ && committable.checkpoint > restored_);
  if (!was_ours)
    return Error{Code::kUnavailable,
                 "directory " + directory_ + " still belongs to job " + owner->job.to_hex()};
  return Error{Code::kInvalid, "directory " + directory_ + " belongs to job " +
                                   owner->job.to_hex() +
                                   " now, which has removed what this one had written. Begin anew "
                                   "with --restart, and with another directory"};
}

Status PartCommitter::commit_one(const commit::Committable& committable) {
  // The name comes out of a checkpoint: it must not lead anywhere else.
  if (!StagedName::parse(committable.what))
    return Error{Code::kCorrupt, "'" + committable.what + "' is no name of a staged part"};
  const auto staged = env::join(directory_, committable.what);
  const auto visible =
      env::join(directory_, VisibleName{committable.subtask, committable.checkpoint}.text());
  auto checked = check_content(committable, staged);
  if (checked) return files_.rename(staged, visible);
  if (checked.error().code != Code::kNotFound) return checked;
  return check_visible(committable, staged, visible);
}

Status PartCommitter::check_visible(const commit::Committable& committable,
                                    const std::string& staged, const std::string& visible) {
  auto checked = check_content(committable, visible);
  if (!checked && checked.error().code == Code::kNotFound)
    return Error{Code::kCorrupt, "neither " + staged + " nor " + visible +
                                     " is there: the output of a completed checkpoint is gone. Put "
                                     "the file back under one of the two "
                                     "names; give the sink the directory again that it wrote to "
                                     "before; or begin anew with --restart and an empty one"};
  return checked;
}

// A part may wait long for its checkpoint, and for a process that commits it: somebody may have touched it.
Status PartCommitter::check_content(const commit::Committable& committable,
                                    const std::string& path) {
  WEIR_ASSIGN(const auto info, files_.info(path));
  const auto differs = [&](const std::string& what) {
    return Error{Code::kCorrupt, path + " is not what was staged as " + committable.what + ": " +
                                     what +
                                     ". Put back what was there; or begin anew with --restart and "
                                     "an empty directory"};
  };
  if (info.size != committable.length)
    return differs("it has " + std::to_string(info.size) + " bytes, want " +
                   std::to_string(committable.length));
  WEIR_ASSIGN(const auto sum, checksum_of(path, committable.length));
  if (sum != committable.checksum) return differs("its checksum differs");
  return ok();
}

Result<std::uint64_t> PartCommitter::checksum_of(const std::string& path, std::uint64_t length) {
  WEIR_ASSIGN(const auto file, files_.open(path));
  RunningChecksum sum;
  Bytes bytes(static_cast<std::size_t>(std::min<std::uint64_t>(length, 1u << 20)));
  for (std::uint64_t offset = 0; offset != length;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), length - offset));
    WEIR_ASSIGN(const auto got, file->read_at(offset, std::span(bytes).first(wanted)));
    if (got != wanted)
      return Error{Code::kCorrupt,
                   "reading " + path + ": it ends at byte " + std::to_string(offset + got)};
    sum.add(ByteView(bytes).first(got));
    offset += got;
  }
  return sum.value();
}

}  // namespace weir::connectors
