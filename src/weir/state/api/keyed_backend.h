#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/keygroup/key_group.h"
#include "weir/memory/account.h"
#include "weir/memory/page_source.h"
#include "weir/memory/staging_pool.h"
#include "weir/state/api/keyed_table.h"
#include "weir/state/api/snapshot_io.h"
#include "weir/state/api/staged_block.h"
#include "weir/state/api/table_descriptor.h"

namespace weir::state {

// What a cut is to hold.
enum class CutKind : std::uint8_t {
  kWhole,  // every entry
  kDelta,  // what changed since the newest cut that is known complete: upserts, and keys deleted
};

// How a cut was taken.
struct CutTaken {
  CutKind kind = CutKind::kWhole;  // whole where a delta was asked for that has no base
  CheckpointId base{};             // of a delta
};

// How far a walk has come.
enum class WalkState : std::uint8_t {
  kIdle,     // no cut is open
  kMore,     // call again
  kBlocked,  // the staging area is full; the listener is told when to call again
  kDone,     // everything of the cut `done` has been given to its output
};
struct WalkProgress {
  WalkState state = WalkState::kIdle;
  CheckpointId done{};
};

struct KeyedStatistics {
  std::uint64_t entries = 0;
  std::uint64_t held_bytes = 0;     // what the account is charged
  std::uint64_t saved_entries = 0;  // by all cuts so far; an entry saved for two cuts counts twice
  std::uint64_t saved_bytes = 0;    // as staged
  // How often a piece of storage with entries in it was divided, and how often two became one.
  std::uint64_t splits = 0;
  std::uint64_t merges = 0;
};

// Says whether a state's Schema in a snapshot suits the job's, both as bytes; an error names the
// difference.
using SchemaCheck = std::function<Status(ByteView in_snapshot, ByteView in_job)>;
// By types/schema.h: as is, or an error that says which part differs and how. Empty bytes are equal to themselves only.
Status schemas_are_compatible(ByteView in_snapshot, ByteView in_job);

// The keyed state of one operator in one Subtask: its tables, and the cuts through all of them.
//
// An operator declares its tables while it is opened, then the state is restored, then records
// flow. At a barrier the Subtask calls cut(), which is quick however large the state is; between
// batches it calls walk() with a budget until that says kDone. In between every table may be
// written: what a cut still needs is saved first. Images of cuts never see a later write.
//
//   Shape   at most kOpenCutsMax cuts are open (taken and not done or aborted)
//   Errors  kExhausted where the account or staging limit cannot ever be kept; kCorrupt and
//           kInvalid from restore(), naming operator, state, file and offset
//   Thread  the Subtask's
//   Source  Flink: KeyedStateBackend, CheckpointableKeyedStateBackend
class KeyedBackend {
 public:
  static constexpr std::size_t kOpenCutsMax = 2;

  virtual ~KeyedBackend() = default;

  // The table of that name, made empty. It lives as long as the backend. Once per name; not while a
  // cut is open.
  virtual Result<KeyedTable*> table(const TableDescriptor& descriptor) = 0;
  // Fills the tables with the entries of the given snapshots that belong to this backend's key
  // groups. After all calls of table(), before anything was written. Files of other key groups are
  // passed over unread.
  virtual Status restore(std::span<const std::reference_wrapper<const ByteSource>> files) = 0;

  // Takes the cut of a checkpoint: from here on the image is fixed. `output` lives until the cut is
  // done or aborted. kUnavailable while kOpenCutsMax cuts are open.
  virtual Result<CutTaken> cut(CheckpointId id, CutKind kind, SnapshotOutput& output) = 0;
  // Saves up to about `budget_bytes` of the oldest open cut, less what writes have saved since the last call: they have
  // at hand what a walk must fetch. A call with nothing written before it has all of its budget. An entry over a
  // limit is an error.
  virtual Result<WalkProgress> walk(std::uint64_t budget_bytes) = 0;
  // Forgets a cut, open or done; its output is not called any more, and no later delta builds on
  // it. Nothing happens where it is not known.
  virtual void abort(CheckpointId id) = 0;
  // The checkpoint of a cut that is done is known complete: later deltas may build on it.
  virtual void complete(CheckpointId id) = 0;

  // The last save found no room in the staging area: tables open fewer keys than asked for until
  // there is.
  virtual bool is_blocked_on_staging() const = 0;
  virtual KeyedStatistics statistics() const = 0;
  // In the order of the numbers in blocks and files.
  virtual std::vector<TableSchema> tables() const = 0;
};

// What a backend is built over. References outlive it.
struct KeyedBackendContext {
  std::string operator_name;  // for errors: "sum[1]"
  KeyGroupRange key_groups;
  std::uint32_t max_parallelism = 0;
  memory::Account& account;
  memory::PageSource& pages;
  memory::StagingPool& staging;
  memory::RoomListener& on_staging_room;  // told when a walk or a table that was blocked may go on
  std::uint64_t entry_bytes_max = std::uint64_t{64} << 20;  // state.entry_bytes_max
  SchemaCheck check_schema = schemas_are_compatible;
  // Keep track of what changes, so that deltas can be cut. Without it every cut is whole.
  bool tracks_changes = false;
};

// A kind of backend: "heap".
//
//   Thread  any
class StateBackend {
 public:
  virtual ~StateBackend() = default;
  virtual Result<std::unique_ptr<KeyedBackend>> open(const KeyedBackendContext& context) = 0;
};

}  // namespace weir::state
