#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/fate.h"
#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/env/api/file_system.h"
#include "weir/protocol/checkpoint/state_handle.h"

namespace weir::storage {

// State smaller than this goes into _metadata rather than into a file of its own.
//
//   Source  Flink: state.storage.fs.memory-threshold, 20 KiB
inline constexpr std::size_t kInlineBytesMax = 20u << 10;

// A data file while it is written.
//
// append() as often as needed, then commit(), which gives the handle, or abort(). A stream that is
// destroyed before commit() succeeded removes its file as well as it can.
//
//   Errors  as the storage's: kExhausted where it is full, kUnavailable otherwise. After an append
//           that failed, commit() fails too
//   Thread  one at a time
class CheckpointStream {
 public:
  virtual ~CheckpointStream() = default;

  virtual Status append(ByteView bytes) = 0;
  // The bytes survive a crash; the name does once the checkpoint is published. `checksum` is for the
  // handle: whoever wrote the file has it, of all its bytes or of what its format says.
  virtual Result<checkpoint::FileHandle> commit(std::uint64_t checksum) = 0;
  virtual void abort() = 0;
};

// The checkpoints of one run of a job: everything below <checkpoint-dir>/<job name>/<job-id>/; the
// job's other runs lie beside it.
//
// Subtasks write data files and acknowledge with their handles; when all have, publish() writes
// _metadata, which makes the names of the data files durable with its own. That does not complete
// the checkpoint: the pointer in ha::Store does. Nothing here looks for the newest checkpoint.
//
//   Shape   names are relative to the run's directory (checkpoint_names.h)
//   Errors  name the file. kCorrupt for a file that a handle promises and that is not there or not
//           as long: a restart would only find the same. kInvalid for a name that leads elsewhere
//   Thread  any; calls block on the disk
class CheckpointStorage {
 public:
  virtual ~CheckpointStorage() = default;

  // Begins a file, with its directory where that is missing. kRefused where the name exists.
  virtual Result<std::unique_ptr<CheckpointStream>> create(const std::string& name) = 0;
  // For reading in ranges; existence and length are checked here, the checksum is the reader's
  // duty.
  virtual Result<std::unique_ptr<env::ReadableFile>> open(const checkpoint::FileHandle& file) = 0;

  // Writes chk-N/_metadata, so that a crash at any point leaves it whole or not there. Whatever the
  // fate, the checkpoint is not complete: no pointer names it yet.
  virtual Written publish(CheckpointId id, ByteView metadata) = 0;
  // kCorrupt where it is missing: whoever asks was told that it is there.
  virtual Result<Bytes> read_metadata(CheckpointId id) = 0;

  // Deletes a whole checkpoint that nothing refers to any more: first _metadata, durably, so that
  // none ever looks complete that is not; then those of `files` that lie in its own directory; then
  // the directory. What is missing already was deleted already.
  //
  // Goes on after an error and reports the first. kRefused: the directory holds other files; the
  // next sweep() takes them.
  virtual Status discard(CheckpointId id, std::span<const checkpoint::FileHandle> files) = 0;
  // Deletes these files only, of an acknowledgement that came too late or was never sent; and their
  // directories where nothing else is in them.
  virtual Status remove(std::span<const checkpoint::FileHandle> files) = 0;
  // Deletes every chk-N with N below `below` that is not in `keep`, whatever is in it: what aborted
  // checkpoints and crashed processes left. `below` is the first id that this process may use.
  // Goes on after an error and reports the first; otherwise says what it has deleted.
  virtual Result<std::vector<CheckpointId>> sweep(const std::set<CheckpointId>& keep,
                                                  CheckpointId below) = 0;
  // Deletes the checkpoints of every other run of the job that is not in `keep`, and what is empty
  // then: runs that the job's record does not name. What else lies there stays, in a run's own
  // directory too. Goes on after an error and reports the first; otherwise says of which runs
  // something was deleted.
  virtual Result<std::vector<JobId>> sweep_other_runs(const std::set<JobId>& keep) = 0;

  // Makes `name` hold these bytes unless it exists. Absent with kRefused: somebody else was first.
  virtual Written put_if_absent(const std::string& name, ByteView bytes) = 0;

  // State smaller than this goes into _metadata rather than into a file of its own.
  virtual std::size_t inline_bytes_max() const { return kInlineBytesMax; }
  // Where it is, for people: "/data/weir/averages/0190.../".
  virtual std::string place() const = 0;
};

// _metadata is refused above this size.
inline constexpr std::uint64_t kMetadataBytesMax = 1ULL << 30;

// The whole file, of which the checksum covers every byte, verified: not one of keyed state. kExhausted where it is longer than `bytes_max`.
Result<Bytes> read_verified(CheckpointStorage& storage, const checkpoint::FileHandle& file,
                            std::uint64_t bytes_max);
// The bytes that a handle stands for, from the metadata or from a file.
Result<Bytes> read_state(CheckpointStorage& storage, const checkpoint::StateHandle& handle,
                         std::uint64_t bytes_max);
// Puts bytes away: into the handle itself below the storage's inline_bytes_max(), else into the file `name`.
Result<checkpoint::StateHandle> write_state(CheckpointStorage& storage, const std::string& name,
                                            Bytes bytes);

// What a person can do about a file of a checkpoint that is not what was written, and about one
// that another build wrote: the end of such an error.
inline constexpr std::string_view kDamagedAdvice = "; put it back, or begin anew with --restart";
inline constexpr std::string_view kOtherBuildAdvice =
    "; start the build that wrote it, or begin anew with --restart";

// The error of a file that is not as its handle says:
// "reading chk-17/e3-...: length differs, want 100, got 99; put it back, ...".
Error length_differs(const checkpoint::FileHandle& file, std::uint64_t got);
Error checksum_differs(const checkpoint::FileHandle& file, std::uint64_t got);
Error file_missing(const checkpoint::FileHandle& file, std::string_view detail);

}  // namespace weir::storage
