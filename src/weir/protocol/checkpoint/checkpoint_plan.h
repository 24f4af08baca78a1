#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "weir/base/id.h"

namespace weir::checkpoint {

// Which Subtasks of the sending vertex a Subtask receives from.
enum class EdgeShape : std::uint8_t {
  kAllToAll,  // all of them
  kForward,   // the one of its own index; both vertices have one parallelism
};

struct PlannedInput {
  VertexId from;
  EdgeShape shape = EdgeShape::kAllToAll;
};

struct PlannedOperator {
  OperatorId id;
  std::string uid;  // empty where the user gave none
  std::string name;
  std::uint32_t max_parallelism = 0;
};

struct PlannedVertex {
  VertexId id;
  std::string name;
  std::uint32_t parallelism = 1;
  std::vector<PlannedInput> inputs;  // none: barriers begin here
  std::vector<PlannedOperator> operators;
};

// What a checkpoint of one run of a job must cover.
struct CheckpointPlan {
  JobId job;
  Epoch epoch;
  std::vector<PlannedVertex> vertices;
};

// One Subtask of the plan, whichever attempt runs it.
struct TaskId {
  VertexId vertex;
  SubtaskIndex subtask;
  friend constexpr auto operator<=>(const TaskId&, const TaskId&) = default;
};

constexpr TaskId task_of(const ExecutionId& execution) {
  return {execution.vertex, execution.subtask};
}

// "sum (2/3)": as people count, from one.
std::string task_name(const CheckpointPlan& plan, TaskId task);

// Their names, the first eight of them.
std::string task_names(const CheckpointPlan& plan, const std::set<TaskId>& tasks);

}  // namespace weir::checkpoint
