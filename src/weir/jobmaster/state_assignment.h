#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/job_graph.h"
#include "weir/protocol/checkpoint/completed_checkpoint.h"
#include "weir/rpc/to_tasks.h"

namespace weir::jobmaster {

enum class UnclaimedState : bool { kRefused, kAllowed };

// Which part of a checkpoint each Subtask of an attempt restores, at whatever parallelism; without
// a checkpoint, nothing.
//
//   Errors  kInvalid: the checkpoint holds state of an operator that the job does not have (unless
//           allowed), or of another max_parallelism than the user asks for, or of fewer KeyGroups
//           than there are Subtasks
//   Source  Flink: StateAssignmentOperation, Checkpoints.loadAndValidateCheckpoint
Result<std::vector<rpc::TaskDeployment>> assign_state(
    const graph::JobGraph& job, const checkpoint::CompletedCheckpoint* checkpoint,
    AttemptId attempt, UnclaimedState unclaimed);

// The operators whose state the checkpoint has by nothing but their place in the program, by name. In
// a program that was changed that may be another operator's.
std::vector<std::string> found_by_place(const graph::JobGraph& job,
                                        const checkpoint::CompletedCheckpoint& checkpoint);

// The job's graph with the max_parallelism that the checkpoint was taken with, for operators whose
// user named none.
graph::JobGraph adopt_max_parallelism(graph::JobGraph job,
                                      const checkpoint::CompletedCheckpoint& checkpoint);

}  // namespace weir::jobmaster
