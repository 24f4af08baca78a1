#pragma once

#include "weir/operators/api/operator_context.h"
#include "weir/rpc/to_tasks.h"
#include "weir/state/api/keyed_backend.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::task {

// Fills the backend's tables from the files that the checkpoint has for its KeyGroups.
Status restore_keyed(state::KeyedBackend& backend, const rpc::OperatorRestore& from,
                     storage::CheckpointStorage& storage);

// The share of one Subtask of the list state that all Subtasks of the operator left behind.
Result<state::OperatorListState> restore_lists(const rpc::OperatorRestore& from,
                                               SubtaskIndex subtask, std::uint32_t parallelism,
                                               storage::CheckpointStorage& storage);

// What the checkpoint holds of the operator and nobody has declared is an error.
Status check_all_declared(const state::OperatorLists& lists);

}  // namespace weir::task
