#pragma once

#include <cstdint>
#include <string>

#include "weir/base/id.h"
#include "weir/base/time.h"

namespace weir {

// What a snapshot is for. Checkpoints are ours and deleted by us; savepoints belong to the user.
enum class CheckpointKind : std::uint8_t { kCheckpoint, kSavepoint, kStopSavepoint };

// What a Subtask does between the first barrier of a checkpoint and the last.
enum class AlignmentMode : std::uint8_t {
  kExactlyOnce,  // holds back the channels that have delivered; from the deadline on, overtakes
  kAtLeastOnce,  // holds nothing back
  kUnaligned,    // overtakes what is queued, which becomes part of the snapshot
};

// The marker in the stream that says: what came before me belongs to checkpoint `id`, what comes
// after me does not.
//
//   Units   `deadline` is on the clock of the process that holds the barrier: a wire carries the
//           time that is left. `triggered_at` is for people and statistics
struct CheckpointBarrier {
  CheckpointId id;
  CheckpointKind kind = CheckpointKind::kCheckpoint;
  AlignmentMode alignment = AlignmentMode::kExactlyOnce;
  WallTime triggered_at;
  Instant deadline = Instant::never();  // when an aligned barrier begins to overtake
  std::string target;                   // a savepoint's directory; empty: the job's own

  friend bool operator==(const CheckpointBarrier&, const CheckpointBarrier&) = default;
};

}  // namespace weir
