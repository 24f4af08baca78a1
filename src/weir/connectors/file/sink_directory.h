#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/config/option.h"
#include "weir/connectors/api/sink.h"
#include "weir/connectors/file/owner_file.h"
#include "weir/connectors/file/part_names.h"

namespace weir::connectors {

// --overwrite-output: what an earlier run of the same sink left in its directory is removed.
inline constexpr config::Option<bool> kOverwriteOutput{
    "sink.overwrite-output", "--overwrite-output", false,
    "Lets a run that begins anew remove the output that an earlier run of it left in a sink's "
    "directory."};

// The directory of a text sink, as one Subtask finds it when it opens. All Subtasks of the sink open it at the same time;
// an owner file that is put if absent decides who it belongs to.
//
// A directory that belongs to another run of the same sink is left to Subtask 0, which refuses it or takes it over: it removes that run's
// parts and only then replaces the owner file. The others go on; what they stage meanwhile carries the new job id, and a
// PartCommitter makes nothing visible in a directory that is not its job's yet.
//
// Subtask 0 holds the directory, by a lock that goes with the process: while it does, no other run can take it over.
//
//   Errors  kInvalid: it is not ours to write to, with what to do about it; kRefused: another run of the sink holds it;
//           kUnavailable: it is ours, and somebody holds it all the same
//   Thread  one; blocks
class SinkDirectory {
 public:
  SinkDirectory(env::FileSystem& files, std::string path, const SinkContext& context);

  // Makes it if it is missing, makes it ours, removes what no checkpoint can name any more; with the rewind that the user
  // asked for also what is visible beyond the restored checkpoint. `rewind` without a need does nothing.
  Result<commit::Outside> open(commit::Rewind rewind);
  // What keeps the directory ours as long as it lives; after open(). Null but for Subtask 0.
  std::unique_ptr<env::FileLock> take_hold() { return std::move(hold_); }

 private:
  enum class Claim : unsigned char {
    kOurs,
    kLeftToSubtask0,  // it belongs to another run: to be taken over from, or a reason to refuse
  };
  using Names = std::vector<std::string>;

  Result<Claim> claim();
  Result<SinkOwner> first_owner();
  Result<SinkOwner> present_owner() const;
  Status hold(const SinkOwner& owner);
  Error held_elsewhere(const SinkOwner& owner, const std::string& why) const;
  Status check_same_sink(const SinkOwner& owner) const;
  Status check_may_overwrite(const SinkOwner& owner) const;
  Status take_over(const SinkOwner& owner);
  Error refused(Code code, const std::string& why) const;
  Status refuse_foreign(const Names& names) const;
  Status remove_all(const Names& names);
  Result<Names> list() const;

  // Whether this Subtask clears up after that one of an earlier attempt.
  bool is_mine(SubtaskIndex old) const {
    return old.value % context_.parallelism == context_.subtask.value;
  }
  bool is_garbage(const std::string& name) const;
  CheckpointId restored() const { return context_.restored.value_or(CheckpointId{}); }
  OwnerDraftName draft() const {
    return {context_.job, context_.sink, context_.subtask, context_.epoch, context_.attempt};
  }

  env::FileSystem& files_;
  const std::string path_;
  const SinkContext& context_;
  const SinkOwner us_;
  std::unique_ptr<env::FileLock> hold_;
};

}  // namespace weir::connectors
