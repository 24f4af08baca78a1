#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/rpc/to_tasks.h"
#include "weir/task/subtask.h"
#include "weir/task/task_manager_parts.h"

namespace weir::task {

// The channels and Subtasks of one deployment.
struct Attempt {
  using Channels = std::vector<std::unique_ptr<exchange::Channel>>;

  AttemptId id;
  std::deque<exchange::FloatingBatches> floating;
  // By JobEdge, then producer * consumers + consumer; null where a forward edge has none.
  std::vector<Channels> channels;
  std::map<std::pair<VertexId, SubtaskIndex>, std::unique_ptr<Subtask>> subtasks;
};

// Builds an Attempt as a message of the JobMaster describes it, and hands it to the executor.
//
//   Thread  the TaskManager's; what it is given outlives it, parts and JobMaster the Attempt too
class Deployment {
 public:
  Deployment(const TaskManagerParts& parts, rpc::JobMasterGateway& job_master,
             const rpc::DeployTasks& message);

  // Everything that may throw, as it copies the user's functions and makes the user's records;
  // nothing runs yet. The error is that of the Subtask `building()`.
  Status build(Attempt& attempt);
  ExecutionId building() const { return building_; }

  void start(Attempt& attempt) const;

 private:
  using Wakers = std::map<std::pair<VertexId, SubtaskIndex>, env::Waker*>;

  Attempt::Channels connect(const graph::JobEdge& edge,
                            std::deque<exchange::FloatingBatches>& floating) const;
  void wire(std::vector<Attempt::Channels>& channels, const Wakers& wakers) const;

  SubtaskParts subtask_parts(const rpc::TaskDeployment& task, Attempt& attempt) const;
  OperatorChain::Link link_of(graph::NodeId node, const std::string& name) const;
  std::vector<exchange::InputGate::Channels> inputs_of(
      const graph::JobVertex& vertex, SubtaskIndex index,
      const std::vector<Attempt::Channels>& channels, std::uint32_t& input_count) const;
  std::vector<std::unique_ptr<exchange::ResultPartition>> partitions_of(
      const graph::JobVertex& vertex, SubtaskIndex index,
      const std::vector<Attempt::Channels>& channels) const;
  std::unique_ptr<operators::OperatorContext> context_of(const rpc::TaskDeployment& task,
                                                         const graph::JobVertex& vertex,
                                                         std::size_t place, Attempt& attempt) const;

  std::string name_of(const graph::JobEdge& edge) const;
  // The columns that any edge behind a node wants.
  stream::Columns columns_behind(graph::NodeId node) const;

  const TaskManagerParts& parts_;
  const graph::JobGraph& graph_;
  rpc::JobMasterGateway& job_master_;
  const rpc::DeployTasks& message_;
  ExecutionId building_;
};

}  // namespace weir::task
