#include "weir/protocol/checkpoint/task_roster.h"

#include <algorithm>

#include "weir/base/check.h"

namespace weir::checkpoint {
namespace {

std::uint32_t parallelism_of(const CheckpointPlan& plan, VertexId vertex) {
  const auto found = std::find_if(plan.vertices.begin(), plan.vertices.end(),
                                  [vertex](const auto& v) { return v.id == vertex; });
  WEIR_CHECK(found != plan.vertices.end());
  return found->parallelism;
}

std::vector<TaskId> senders_of(const CheckpointPlan& plan, const PlannedVertex& vertex,
                               SubtaskIndex subtask) {
  std::vector<TaskId> out;
  for (const auto& input : vertex.inputs) {
    const auto parallelism = parallelism_of(plan, input.from);
    if (input.shape == EdgeShape::kForward) {
      WEIR_CHECK(parallelism == vertex.parallelism);
      out.push_back({input.from, subtask});
      continue;
    }
    for (std::uint32_t i = 0; i != parallelism; ++i) out.push_back({input.from, {i}});
  }
  return out;
}

}  // namespace

TaskRoster::TaskRoster(const CheckpointPlan& plan) {
  for (const auto& vertex : plan.vertices)
    for (std::uint32_t i = 0; i != vertex.parallelism; ++i)
      senders_.emplace(TaskId{vertex.id, {i}}, senders_of(plan, vertex, {i}));
}

void TaskRoster::begin(AttemptId attempt) {
  attempt_ = attempt;
  covered_.clear();
  phases_.clear();
  for (const auto& [task, senders] : senders_) phases_.emplace(task, Phase::kDeployed);
}

bool TaskRoster::is_current(const ExecutionId& execution) const {
  return execution.attempt == attempt_ && phases_.contains(task_of(execution));
}

bool TaskRoster::may_trigger() const {
  const bool all_run = std::all_of(phases_.begin(), phases_.end(),
                                   [](const auto& p) { return p.second != Phase::kDeployed; });
  return all_run && anyone_left();
}

bool TaskRoster::anyone_left() const {
  return std::any_of(phases_.begin(), phases_.end(),
                     [](const auto& p) { return p.second != Phase::kFinished; });
}

bool TaskRoster::needs_final() const {
  bool uncovered = false;
  for (const auto& [task, phase] : phases_) {
    if (phase < Phase::kAtEnd) return false;
    if (phase == Phase::kAtEnd && !covered_.contains(task)) uncovered = true;
  }
  return uncovered;
}

std::vector<ExecutionId> TaskRoster::to_trigger() const {
  std::vector<ExecutionId> out;
  for (const auto& [task, phase] : phases_)
    if (phase != Phase::kFinished && senders_finished(task))
      out.push_back({task.vertex, task.subtask, attempt_});
  return out;
}

bool TaskRoster::advance(TaskId task, Phase phase) {
  auto& current = phases_.at(task);
  if (phase <= current) return false;
  current = phase;
  return true;
}

bool TaskRoster::senders_finished(TaskId task) const {
  const auto& senders = senders_.at(task);
  return std::all_of(senders.begin(), senders.end(),
                     [this](TaskId s) { return phases_.at(s) == Phase::kFinished; });
}

std::set<TaskId> TaskRoster::in_phase(bool finished) const {
  std::set<TaskId> out;
  for (const auto& [task, phase] : phases_)
    if ((phase == Phase::kFinished) == finished) out.insert(task);
  return out;
}

}  // namespace weir::checkpoint
