#include "weir/protocol/checkpoint/completed_checkpoint.h"

namespace weir::checkpoint {

std::vector<FileHandle> CompletedCheckpoint::files() const {
  std::vector<FileHandle> out;
  for (const auto& state : operators)
    for (const auto& subtask : state.subtasks) append_files(subtask, out);
  return out;
}

}  // namespace weir::checkpoint
