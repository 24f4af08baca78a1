#include "weir/jobmaster/state_assignment.h"

#include <algorithm>
#include <map>

namespace weir::jobmaster {
namespace {

using States = std::map<OperatorId, const checkpoint::OperatorState*>;

bool has_state(const checkpoint::OperatorState& op) {
  return std::any_of(op.subtasks.begin(), op.subtasks.end(),
                     [](const checkpoint::OperatorSubtaskState& subtask) {
                       return !subtask.keyed.empty() || subtask.lists;
                     });
}

std::string called(const checkpoint::OperatorState& op) {
  return "'" + op.name + "' (" + (op.uid.empty() ? "no uid" : "uid " + op.uid) + ", id " +
         op.id.to_hex() + ")";
}

Status check_claimed(const graph::JobGraph& job,
                     const checkpoint::CompletedCheckpoint& checkpoint) {
  for (const auto& op : checkpoint.operators) {
    bool is_claimed = false;
    for (std::uint32_t node = 0; node != job.stream.nodes.size(); ++node)
      is_claimed = is_claimed || graph::operator_id_of(job.stream, {node}) == op.id;
    if (!is_claimed && has_state(op))
      return Error{
          Code::kInvalid,
          "restoring checkpoint " + std::to_string(checkpoint.id.value) +
              ": it holds state of operator " + called(op) +
              ", which the job does not have. Give an operator that uid, or drop the state with "
              "--allow-unclaimed-state"};
  }
  return ok();
}

Status check_scale(const graph::JobVertex& vertex, const checkpoint::OperatorState& op) {
  const auto& scale = vertex.scale;
  if (scale.parallelism > op.max_parallelism)
    return Error{Code::kInvalid, "restoring operator " + called(op) +
                                     ": the state was kept for a max parallelism of " +
                                     std::to_string(op.max_parallelism) +
                                     ", which is lower than the parallelism of " +
                                     std::to_string(scale.parallelism) + "; run it with at most " +
                                     std::to_string(op.max_parallelism)};
  if (scale.max_parallelism != op.max_parallelism)
    return Error{Code::kInvalid, "restoring operator " + called(op) +
                                     ": the state was kept for a max parallelism of " +
                                     std::to_string(op.max_parallelism) + ", the job asks for " +
                                     std::to_string(scale.max_parallelism) +
                                     "; it cannot be changed"};
  return ok();
}

rpc::OperatorRestore restore_of(const checkpoint::OperatorState& op, KeyGroupRange groups) {
  rpc::OperatorRestore restore{.id = op.id, .keyed = {}, .lists = {}};
  for (const auto& subtask : op.subtasks) {
    for (const auto& keyed : subtask.keyed)
      if (keyed.groups.overlaps(groups)) restore.keyed.push_back(keyed);
    // A Subtask without lists still counts: each new one finds its share by the old ones' order.
    restore.lists.push_back(subtask.lists.value_or(checkpoint::StateHandle(Bytes{})));
  }
  return restore;
}

// Whether every Subtask of every operator of the vertex was FINISHED.
bool was_finished(const graph::JobGraph& job, const graph::JobVertex& vertex,
                  const States& states) {
  return std::all_of(vertex.chain.begin(), vertex.chain.end(), [&](graph::NodeId node) {
    const auto state = states.find(graph::operator_id_of(job.stream, node));
    return state != states.end() && !state->second->progress.empty() &&
           std::all_of(
               state->second->progress.begin(), state->second->progress.end(),
               [](auto progress) { return progress == checkpoint::SubtaskProgress::kFinished; });
  });
}

}  // namespace

Result<std::vector<rpc::TaskDeployment>> assign_state(
    const graph::JobGraph& job, const checkpoint::CompletedCheckpoint* checkpoint,
    AttemptId attempt, UnclaimedState unclaimed) {
  States states;
  if (checkpoint) {
    if (unclaimed == UnclaimedState::kRefused) WEIR_TRY(check_claimed(job, *checkpoint));
    for (const auto& op : checkpoint->operators) states.emplace(op.id, &op);
  }
  std::vector<rpc::TaskDeployment> tasks;
  for (const auto& vertex : job.vertices) {
    const bool finished = checkpoint && was_finished(job, vertex, states);
    for (std::uint32_t i = 0; i != vertex.scale.parallelism; ++i) {
      rpc::TaskDeployment task{
          .execution = {vertex.id, {i}, attempt}, .was_finished = finished, .operators = {}};
      for (const auto node : vertex.chain) {
        if (!checkpoint) break;
        const auto id = graph::operator_id_of(job.stream, node);
        const auto state = states.find(id);
        if (state == states.end()) {
          task.operators.push_back({.id = id});  // New in the job: it starts empty.
          continue;
        }
        WEIR_TRY(check_scale(vertex, *state->second));
        task.operators.push_back(restore_of(*state->second, key_groups_of({i}, vertex.scale)));
      }
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

std::vector<std::string> found_by_place(const graph::JobGraph& job,
                                        const checkpoint::CompletedCheckpoint& checkpoint) {
  std::vector<std::string> names;
  for (std::uint32_t node = 0; node != job.stream.nodes.size(); ++node) {
    const auto id = graph::operator_id_of(job.stream, {node});
    const auto is_its = [&](const checkpoint::OperatorState& op) {
      return op.id == id && has_state(op);
    };
    if (job.stream.nodes[node].uid.empty() &&
        std::any_of(checkpoint.operators.begin(), checkpoint.operators.end(), is_its))
      names.push_back(job.stream.nodes[node].name);
  }
  return names;
}

graph::JobGraph adopt_max_parallelism(graph::JobGraph job,
                                      const checkpoint::CompletedCheckpoint& checkpoint) {
  for (auto& vertex : job.vertices) {
    for (const auto node : vertex.chain) {
      if (job.stream.node(node).max_parallelism != 0) continue;
      const auto id = graph::operator_id_of(job.stream, node);
      for (const auto& op : checkpoint.operators)
        if (op.id == id && op.max_parallelism >= vertex.scale.parallelism)
          vertex.scale.max_parallelism = op.max_parallelism;
    }
  }
  return job;
}

}  // namespace weir::jobmaster
