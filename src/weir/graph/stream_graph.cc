#include "weir/graph/stream_graph.h"

#include <algorithm>
#include <map>

#include "weir/keygroup/key_group.h"

namespace weir::graph {
namespace {

Error impossible(const StreamNode& node, const std::string& why) {
  return {Code::kInvalid, "operator '" + node.name + "': " + why};
}

Status validate_node(const StreamNode& node) {
  const auto limit = std::to_string(kMaxParallelismLimit);
  if (node.parallelism == 0) return impossible(node, "its parallelism is 0");
  if (node.max_parallelism > kMaxParallelismLimit)
    return impossible(
        node, "its max parallelism is " + std::to_string(node.max_parallelism) + ", over " + limit);
  const auto max = node.max_parallelism ? node.max_parallelism : kMaxParallelismLimit;
  if (node.parallelism > max)
    return impossible(node, "its parallelism " + std::to_string(node.parallelism) +
                                " is above its max parallelism " + std::to_string(max));
  return ok();
}

Status validate_edge(const StreamGraph& graph, const StreamEdge& edge) {
  const auto& from = graph.node(edge.from);
  const auto& to = graph.node(edge.to);
  if (edge.partitioning == Partitioning::kForward && from.parallelism != to.parallelism)
    return impossible(to, "it is fed record by record from '" + from.name +
                              "', which has parallelism " + std::to_string(from.parallelism) +
                              " and not " + std::to_string(to.parallelism));
  if (to.is_keyed && edge.partitioning != Partitioning::kHash)
    return impossible(
        to, "it has keyed state, but its input from '" + from.name + "' is not dealt by key");
  return ok();
}

}  // namespace

OperatorId operator_id_of(const StreamGraph& graph, NodeId node) {
  const auto& uid = graph.node(node).uid;
  return weir::operator_id_of(uid.empty() ? "node " + std::to_string(node.value) : uid);
}

Status validate(const StreamGraph& graph) {
  std::map<OperatorId, const StreamNode*> seen;
  bool has_source = false;
  for (std::uint32_t i = 0; i != graph.nodes.size(); ++i) {
    const auto& node = graph.nodes[i];
    WEIR_TRY(validate_node(node));
    const auto [other, is_new] = seen.emplace(operator_id_of(graph, NodeId{i}), &node);
    if (!is_new)
      return impossible(node, "its uid '" + node.uid + "' is also that of operator '" +
                                  other->second->name + "'");
    has_source = has_source || node.is_source;
  }
  if (!has_source) return Error{Code::kInvalid, "job '" + graph.job_name + "': it has no source"};
  for (const auto& edge : graph.edges) WEIR_TRY(validate_edge(graph, edge));
  return ok();
}

}  // namespace weir::graph
