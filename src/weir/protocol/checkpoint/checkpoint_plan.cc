#include "weir/protocol/checkpoint/checkpoint_plan.h"

namespace weir::checkpoint {

std::string task_name(const CheckpointPlan& plan, TaskId task) {
  for (const auto& vertex : plan.vertices) {
    if (vertex.id != task.vertex) continue;
    return vertex.name + " (" + std::to_string(task.subtask.value + 1) + "/" +
           std::to_string(vertex.parallelism) + ")";
  }
  return "unknown vertex " + std::to_string(task.vertex.value);
}

std::string task_names(const CheckpointPlan& plan, const std::set<TaskId>& tasks) {
  constexpr std::size_t kNamed = 8;
  std::string out;
  std::size_t count = 0;
  for (const auto& task : tasks) {
    if (count == kNamed) return out + ", ...";
    out += (count++ == 0 ? "" : ", ") + task_name(plan, task);
  }
  return out;
}

}  // namespace weir::checkpoint
