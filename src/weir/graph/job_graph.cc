#include "weir/graph/job_graph.h"

#include <algorithm>

namespace weir::graph {
namespace {

bool is_chained(const StreamGraph& graph, const StreamEdge& edge, Chaining chaining) {
  const auto& from = graph.node(edge.from);
  const auto& to = graph.node(edge.to);
  const auto out_of_from = std::count_if(graph.edges.begin(), graph.edges.end(),
                                         [&](const StreamEdge& e) { return e.from == edge.from; });
  const auto into_to = std::count_if(graph.edges.begin(), graph.edges.end(),
                                     [&](const StreamEdge& e) { return e.to == edge.to; });
  return chaining == Chaining::kOn && edge.partitioning == Partitioning::kForward &&
         out_of_from == 1 && into_to == 1 && to.may_chain && !from.blocks && !to.blocks;
}

Scale scale_of(const StreamNode& node) {
  const auto max =
      node.max_parallelism ? node.max_parallelism : default_max_parallelism(node.parallelism);
  return {.parallelism = node.parallelism, .max_parallelism = max};
}

}  // namespace

JobGraph chain(StreamGraph graph, Chaining chaining) {
  JobGraph job{.stream = std::move(graph), .vertices = {}, .edges = {}};
  const auto& stream = job.stream;
  std::vector<VertexId> vertex_of(stream.nodes.size());
  for (std::uint32_t i = 0; i != stream.nodes.size(); ++i) {
    const auto& node = stream.nodes[i];
    const auto into = std::find_if(stream.edges.begin(), stream.edges.end(),
                                   [&](const StreamEdge& edge) { return edge.to == NodeId{i}; });
    if (into != stream.edges.end() && is_chained(stream, *into, chaining)) {
      auto& vertex = job.vertices[vertex_of[into->from.value].value];
      vertex_of[i] = vertex.id;
      vertex.chain.push_back(NodeId{i});
      vertex.name += " -> " + node.name;
      continue;
    }
    vertex_of[i] = VertexId{static_cast<std::uint32_t>(job.vertices.size())};
    job.vertices.push_back({.id = vertex_of[i],
                            .name = node.name,
                            .chain = {NodeId{i}},
                            .scale = scale_of(node),
                            .is_source = node.is_source,
                            .blocks = node.blocks});
  }
  for (std::uint32_t e = 0; e != stream.edges.size(); ++e) {
    const auto from = vertex_of[stream.edges[e].from.value];
    const auto to = vertex_of[stream.edges[e].to.value];
    if (from != to) job.edges.push_back({.from = from, .to = to, .stream_edge = e});
  }
  return job;
}

}  // namespace weir::graph
