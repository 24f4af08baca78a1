#include "weir/datastream/program_builder.h"

#include "weir/datastream/job_definition_error.h"

namespace weir::datastream {

graph::NodeId ProgramBuilder::add(Node node) {
  const graph::NodeId id{static_cast<std::uint32_t>(graph_.nodes.size())};
  graph_.nodes.push_back(std::move(node.stream));
  factories_.push_back(std::move(node.factory));
  return id;
}

void ProgramBuilder::connect(graph::NodeId to, Input input) {
  graph_.edges.push_back({.from = input.from,
                          .to = to,
                          .input = input.input,
                          .partitioning = input.partitioning,
                          .columns = input.columns});
  routers_.push_back(std::move(input.make_router));
}

operators::Program ProgramBuilder::build(const std::string& job_name, graph::Chaining chaining) {
  auto graph = std::exchange(graph_, {});
  auto factories = std::exchange(factories_, {});
  auto routers = std::exchange(routers_, {});
  graph.job_name = job_name;
  // A source is two operators with one name for the user: what has been assigned is found again with what is read.
  for (const auto& edge : graph.edges)
    if (const auto& uid = graph.node(edge.to).uid;
        edge.partitioning == graph::Partitioning::kDirect && !uid.empty())
      graph.nodes[edge.from.value].uid = uid + " splits";
  // What goes record by record to another number of Subtasks goes round instead.
  for (auto& edge : graph.edges)
    if (edge.partitioning == graph::Partitioning::kForward &&
        graph.node(edge.from).parallelism != graph.node(edge.to).parallelism)
      edge.partitioning = graph::Partitioning::kRebalance;
  if (const auto valid = graph::validate(graph); !valid)
    throw JobDefinitionError(valid.error().what);
  return {.graph = graph::chain(std::move(graph), chaining),
          .factories = std::move(factories),
          .routers = std::move(routers)};
}

}  // namespace weir::datastream
