#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/graph/stream_graph.h"
#include "weir/keygroup/key_group.h"

namespace weir::graph {

// Operators that run by direct call in one Subtask.
struct JobVertex {
  VertexId id;
  std::string name;           // "read -> parse -> filter"
  std::vector<NodeId> chain;  // never empty; the first reads the vertex's inputs
  Scale scale;                // parallelism and max_parallelism of every operator in it
  bool is_source = false;     // its first operator puts out records that no input asked for
  bool blocks = false;

  friend bool operator==(const JobVertex&, const JobVertex&) = default;
};

// From the last operator of a chain to the first of another.
struct JobEdge {
  VertexId from;
  VertexId to;
  std::uint32_t stream_edge;  // its place in StreamGraph::edges

  friend bool operator==(const JobEdge&, const JobEdge&) = default;
};

// What is deployed: the StreamGraph after chaining.
//
//   Shape   vertex i has VertexId{i}; edges go from earlier to later vertices
struct JobGraph {
  StreamGraph stream;
  std::vector<JobVertex> vertices;
  std::vector<JobEdge> edges;

  const JobVertex& vertex(VertexId id) const { return vertices[id.value]; }
  const StreamEdge& stream_edge(const JobEdge& edge) const {
    return stream.edges[edge.stream_edge];
  }
  friend bool operator==(const JobGraph&, const JobGraph&) = default;
};

enum class Chaining : bool { kOff, kOn };

// Chains what may run by direct call: the only forward edge out of one operator that is the only edge into the next,
// where neither has reasons against it. The graph must have been validated.
JobGraph chain(StreamGraph graph, Chaining chaining);

}  // namespace weir::graph
