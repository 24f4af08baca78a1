#pragma once

#include <string>

#include "weir/connectors/api/sink.h"

namespace weir::connectors {

// Makes staged parts visible: renames them, in order, then makes the names durable. A part that is no longer staged but
// visible, as it was written, has been committed before.
//
//   Errors  kCorrupt: a part is neither staged nor visible; kUnavailable: the directory still belongs to an earlier run;
//           kInvalid: another run has taken it over meanwhile
//   Thread  as Committer says
class PartCommitter final : public Committer {
 public:
  PartCommitter(std::string directory, const SinkContext& context)
      : files_(context.env->files),
        directory_(std::move(directory)),
        is_subtask_0_(context.subtask.value == 0),
        restored_(context.restored.value_or(CheckpointId{})),
        has_checkpoints_(context.has_checkpoints) {}

  Outcome commit(const std::vector<commit::Committable>& committables) override;

 private:
  Status check_owner(const commit::Committable& committable);
  Status commit_one(const commit::Committable& committable);
  Status check_visible(const commit::Committable& committable, const std::string& staged,
                       const std::string& visible);
  Status check_content(const commit::Committable& committable, const std::string& path);
  Result<std::uint64_t> checksum_of(const std::string& path, std::uint64_t length);

  env::FileSystem& files_;
  const std::string directory_;
  const bool is_subtask_0_;
  const CheckpointId restored_;
  const bool has_checkpoints_;
};

}  // namespace weir::connectors
