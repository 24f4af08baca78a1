#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "weir/env/api/strand.h"
#include "weir/operators/api/operator.h"
#include "weir/protocol/checkpoint/state_handle.h"
#include "weir/state/api/keyed_backend.h"
#include "weir/state/api/snapshot_writer.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::task {

// What an operator's snapshot consists of.
struct OperatorPart {
  OperatorId id;
  std::string name;        // for errors
  std::string keyed_file;  // names of its files, relative to the run's directory
  std::string list_file;
  operators::SnapshotWork work;                // may be empty
  std::optional<state::SnapshotHeader> keyed;  // where it has keyed state
};

// One Subtask's part of one checkpoint on its way to the storage.
//
// Made at the cut. Keyed entries come in through keyed_output() while the state is walked; after
// seal() the operators' own work follows, and then the outcome is told, once. Everything runs in
// order on one strand, off the Subtask.
//
//   Errors  the first one is the outcome; what was written is then removed
//   Thread  the Subtask's; the outcome is told on the I/O pool
class SnapshotUpload : public std::enable_shared_from_this<SnapshotUpload> {
 public:
  struct Outcome {
    Result<checkpoint::SubtaskSnapshot> snapshot;
    std::uint64_t bytes = 0;
  };
  SnapshotUpload(storage::CheckpointStorage& storage, env::IoPool& io,
                 std::vector<OperatorPart> parts, bool at_end, std::function<void(Outcome)> tell);
  ~SnapshotUpload();

  state::SnapshotOutput& keyed_output(std::size_t op);
  // Every keyed entry of that operator has been given.
  void end_keyed(std::size_t op);
  // Everything has been given: end it.
  void seal();
  // The process is going down without ending its I/O: lets go of everything, tells nobody.
  void abandon() { strand_.clear(); }
  // The checkpoint will not be: write no more, remove what there is. The outcome is told all the
  // same.
  void cancel() { is_cancelled_.store(true, std::memory_order_relaxed); }

 private:
  class KeyedFile;

  void submit(std::function<Status()> work);
  void start_part(std::size_t op);
  Status keep_lists(std::size_t op, const Result<state::OperatorListState>& lists);
  void end_part();
  void conclude();
  void note(Status status);
  void note_if_cancelled();

  storage::CheckpointStorage& storage_;
  env::Strand strand_;
  std::vector<OperatorPart> parts_;
  const std::function<void(Outcome)> tell_;
  std::atomic<bool> is_cancelled_{
      false};  // No partner: a hint to stop early; the outcome says what was done.

  // Strand only.
  std::vector<std::unique_ptr<KeyedFile>> files_;
  Status status_;
  std::size_t parts_left_ = 0;  // whose work has not ended
  checkpoint::SubtaskSnapshot snapshot_;
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::task
