#pragma once

#include <functional>
#include <optional>
#include <string>

#include "weir/base/id.h"
#include "weir/config/option.h"
#include "weir/env/api/env.h"
#include "weir/keygroup/key_group.h"
#include "weir/state/api/keyed_backend.h"
#include "weir/state/api/operator_lists.h"

namespace weir::operators {

// What an operator may know of its place and ask of its Subtask.
//
//   Thread  post() and send_hint() from any; `lists` as it says; everything else is fixed once the
//           operator is opened
struct OperatorContext {
  JobId job;
  Epoch epoch;
  AttemptId attempt;
  OperatorId id;
  std::string uid;
  std::string name;  // "sum[1]": for errors
  SubtaskIndex subtask;
  std::uint32_t parallelism = 1;
  std::uint32_t max_parallelism = 128;
  std::uint32_t consumer_parallelism = 1;  // of the first edge behind its vertex
  KeyGroupRange key_groups;
  // The checkpoint that this attempt starts from.
  std::optional<CheckpointId> restored;
  bool has_checkpoints = false;

  env::Env* env = nullptr;
  // Only for an operator that declared keyed state.
  state::KeyedBackend* keyed = nullptr;
  // For the operator's ListStates: open() declares them, snapshot() captures what they hold.
  state::OperatorLists lists;
  const config::Configuration* options = nullptr;

  // Runs the function on the Subtask's thread, later.
  std::function<void(std::function<void()>)> post;
  // Sends bytes to the operator that assigns splits. They may be lost.
  std::function<void(Bytes)> send_hint;
};

}  // namespace weir::operators
