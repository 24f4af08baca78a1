#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "weir/base/id.h"
#include "weir/base/time.h"

namespace weir::ha {

// Names one completed checkpoint.
struct Pointer {
  CheckpointId id;
  // Of its _metadata, relative to the job's directory: "0190.../chk-17/_metadata".
  std::string metadata;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

// How a run that FINISHED has ended.
struct RunResult {
  WallTime finished_at;
  std::string summary;  // one sentence for people
  friend bool operator==(const RunResult&, const RunResult&) = default;
};

// The run that another one is about to replace, as its record was.
struct EarlierRun {
  JobId job;
  CheckpointId ids_reserved;
  std::optional<Pointer> newest;
  std::vector<Pointer> retained;
  std::optional<RunResult> result;
  friend bool operator==(const EarlierRun&, const EarlierRun&) = default;
};

// What is known of a job's current run, whatever process leads it.
//
//   Shape   `retained` are the older completed checkpoints that are kept, newest first
struct RunRecord {
  JobId job;
  Epoch epoch;                // of the process that wrote it last
  CheckpointId ids_reserved;  // every id up to here may have been used; 0: none
  std::optional<Pointer> newest;
  std::vector<Pointer> retained;
  std::optional<RunResult> result;
  // Until the run is settled: what there is to go back to where it never gets to run.
  std::optional<EarlierRun> earlier;
  std::string rest_address;  // "127.0.0.1:8081"; empty while nobody listens

  // Those that it speaks of: what another run has left is nobody's any more.
  std::set<JobId> runs() const;
  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

// ---- What can be done to a record ----

// A new run is about to take the place of the one that is there: nothing is carried over but the
// epoch. The old one is kept as `earlier` until the new one is settled. One that never was settled
// itself is not kept, but what it was to replace.
struct BeginRun {
  JobId job;
};
// The run has taken the place of the earlier one: all its tasks run. A completed checkpoint and a
// result say as much.
struct SettleRun {};
// The run never got to run: the earlier one is the job's again, as if nothing had been.
struct AbandonRun {};
// Ids up to here may be used from now on.
struct ReserveIds {
  CheckpointId up_to;
};
// Completes the checkpoint `newest`; `retained` are the older ones that are kept.
struct MovePointer {
  Pointer newest;
  std::vector<Pointer> retained;
};
// The run has FINISHED.
struct Finish {
  RunResult result;
};
struct Announce {
  std::string rest_address;
};
using Change =
    std::variant<BeginRun, SettleRun, AbandonRun, ReserveIds, MovePointer, Finish, Announce>;

// The record after the change.
//
//   Errors  a bound of ids or a pointer that would go back is our bug and aborts: the coordinator
//           gives ids and checkpoints in ascending order; so does abandoning a run that is settled
RunRecord apply(RunRecord record, const Change& change);

}  // namespace weir::ha
