#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "weir/graph/job_graph.h"
#include "weir/operators/api/operator.h"
#include "weir/stream/router.h"

namespace weir::operators {

// A job with everything that runs it: the graph as values, and beside it what makes the parts.
//
//   Shape   factories[i] belongs to NodeId{i}, routers[e] to StreamEdge e; a router is null where
//           batches go whole
//   Thread  only read once it is built
struct Program {
  // Of an edge whose consumer has so many KeyGroups.
  using MakeRouter = std::function<std::unique_ptr<stream::Router>(std::uint32_t max_parallelism)>;

  graph::JobGraph graph;
  std::vector<std::shared_ptr<const OperatorFactory>> factories;
  std::vector<MakeRouter> routers;
};

}  // namespace weir::operators
