#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/checkpoint_barrier.h"
#include "weir/base/id.h"
#include "weir/base/time.h"
#include "weir/protocol/checkpoint/state_handle.h"

namespace weir::checkpoint {

// How far a Subtask had come when the checkpoint was cut.
enum class SubtaskProgress : std::uint8_t {
  kRunning,
  kAtEnd,     // had consumed everything; its state is here, its end of input must not be told again
  kFinished,  // was FINISHED: it has no state, and nothing is left for it to do
};

// What a checkpoint holds of one Operator.
//
//   Shape  `subtasks` and `progress` are indexed by SubtaskIndex: `parallelism` of each
struct OperatorState {
  OperatorId id;
  std::string uid;  // empty where the user gave none
  std::string name;
  std::uint32_t parallelism = 0;
  std::uint32_t max_parallelism = 0;
  std::vector<OperatorSubtaskState> subtasks;
  std::vector<SubtaskProgress> progress;
  friend bool operator==(const OperatorState&, const OperatorState&) = default;
};

enum class Owner : std::uint8_t { kJob, kUser };

// Everything that a restore needs to know; what _metadata says.
struct CompletedCheckpoint {
  CheckpointId id;
  JobId job;
  Epoch epoch;
  CheckpointKind kind = CheckpointKind::kCheckpoint;
  Owner owner = Owner::kJob;
  WallTime triggered_at;
  std::string target;  // a savepoint's directory; empty: chk-<id> in the job's own
  std::vector<OperatorState> operators;
  std::vector<StateSchema> schemas;  // of each named state one
  friend bool operator==(const CompletedCheckpoint&, const CompletedCheckpoint&) = default;

  // Every file that it refers to.
  std::vector<FileHandle> files() const;
};

}  // namespace weir::checkpoint
