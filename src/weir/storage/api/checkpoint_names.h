#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/id.h"
#include "weir/base/result.h"

// How the files of a job's checkpoints are named, below <checkpoint-dir>/<job name>/<job-id>/.
namespace weir::storage {

inline constexpr std::string_view kMetadataName = "_metadata";

// "chk-17".
std::string checkpoint_directory(CheckpointId id);
// The inverse; nullopt for every name that checkpoint_directory() would not give, "chk-017" too.
std::optional<CheckpointId> checkpoint_of_directory(std::string_view name);
// The run whose directory has this name, its id in lower-case digits; nullopt for every other name.
std::optional<JobId> run_of_directory(std::string_view name);
// "chk-17/_metadata".
std::string metadata_name(CheckpointId id);

// One data file of a checkpoint. No two writers ever choose one name: whoever comes later has
// another epoch or another attempt.
struct DataFile {
  CheckpointId checkpoint;
  Epoch epoch;
  AttemptId attempt;
  OperatorId op;
  SubtaskIndex subtask;
  std::string_view what = "state";  // a word: letters, digits and '-'
};

// "chk-17/e3-a2-4fd2...-1.state": epoch 3, attempt 2, the operator's 32 digits, subtask 1.
std::string data_file_name(const DataFile& file);

// Whether the file lies in the checkpoint's own directory. One that does not (shared/...) may be
// another checkpoint's too.
bool is_own_file(CheckpointId id, std::string_view name);

// kInvalid unless the name stays below the directory that it is relative to: not absolute, no part
// that is empty, "." or "..", no control character, at most 1024 bytes.
Status check_relative_name(std::string_view name);

}  // namespace weir::storage
