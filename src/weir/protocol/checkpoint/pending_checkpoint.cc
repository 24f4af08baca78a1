#include "weir/protocol/checkpoint/pending_checkpoint.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "weir/base/check.h"

namespace weir::checkpoint {
namespace {

// What a snapshot holds of one Operator; empty state where it holds none.
OperatorSubtaskState state_of(const SubtaskSnapshot& snapshot, OperatorId id) {
  for (const auto& state : snapshot.operators)
    if (state.id == id) return state;
  return {.id = id, .keyed = {}, .lists = {}};
}

}  // namespace

PendingCheckpoint::Accepted PendingCheckpoint::accept(TaskId task, SubtaskSnapshot snapshot) {
  if (missing_.erase(task) != 0) {
    acked_.emplace(task, std::move(snapshot));
    return Accepted::kYes;
  }
  return acked_.contains(task) ? Accepted::kDuplicate : Accepted::kUnknownTask;
}

void PendingCheckpoint::seal() {
  WEIR_CHECK(missing_.empty());
  WEIR_CHECK(!sealed_);
  sealed_ = true;
}

std::vector<FileHandle> PendingCheckpoint::files() const {
  std::vector<FileHandle> out;
  for (const auto& [task, snapshot] : acked_) append_files(snapshot, out);
  return out;
}

std::vector<TaskId> PendingCheckpoint::at_end() const {
  std::vector<TaskId> out;
  for (const auto& [task, snapshot] : acked_)
    if (snapshot.at_end) out.push_back(task);
  return out;
}

CompletedCheckpoint PendingCheckpoint::content(const CheckpointPlan& plan) const {
  WEIR_CHECK(missing_.empty());
  CompletedCheckpoint out{.id = terms_.barrier.id,
                          .job = plan.job,
                          .epoch = plan.epoch,
                          .kind = terms_.barrier.kind,
                          .owner = Owner::kJob,
                          .triggered_at = terms_.barrier.triggered_at,
                          .target = terms_.barrier.target,
                          .operators = {},
                          .schemas = schemas()};
  for (const auto& vertex : plan.vertices) {
    for (const auto& planned : vertex.operators) {
      OperatorState state{.id = planned.id,
                          .uid = planned.uid,
                          .name = planned.name,
                          .parallelism = vertex.parallelism,
                          .max_parallelism = planned.max_parallelism,
                          .subtasks = {},
                          .progress = {}};
      for (std::uint32_t i = 0; i != vertex.parallelism; ++i) {
        const TaskId task{vertex.id, {i}};
        const auto acked = acked_.find(task);
        state.subtasks.push_back(
            state_of(acked == acked_.end() ? SubtaskSnapshot{} : acked->second, planned.id));
        state.progress.push_back(progress_of(task));
      }
      out.operators.push_back(std::move(state));
    }
  }
  return out;
}

// The Subtasks of an operator run the same job, so any of them speaks for all.
std::vector<StateSchema> PendingCheckpoint::schemas() const {
  std::map<std::pair<OperatorId, std::string>, StateSchema> by_state;
  for (const auto& [task, snapshot] : acked_)
    for (const auto& schema : snapshot.schemas)
      by_state.try_emplace({schema.op, schema.state}, schema);
  std::vector<StateSchema> out;
  out.reserve(by_state.size());
  for (auto& [state, schema] : by_state) out.push_back(std::move(schema));
  return out;
}

SubtaskProgress PendingCheckpoint::progress_of(TaskId task) const {
  if (terms_.finished.contains(task)) return SubtaskProgress::kFinished;
  return acked_.at(task).at_end ? SubtaskProgress::kAtEnd : SubtaskProgress::kRunning;
}

}  // namespace weir::checkpoint
