#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "weir/operators/api/program.h"

namespace weir::datastream {

// Collects what a fluent program says, node by node.
//
//   Errors  JobDefinitionError for what can be seen to be impossible
//   Thread  one
class ProgramBuilder {
 public:
  struct Node {
    graph::StreamNode stream;
    std::shared_ptr<const operators::OperatorFactory> factory;
  };
  // How a node reads one that is there already.
  struct Input {
    graph::NodeId from;
    std::uint32_t input = 0;
    graph::Partitioning partitioning = graph::Partitioning::kForward;
    stream::Columns columns;
    operators::Program::MakeRouter make_router;  // null where batches go whole
  };

  graph::NodeId add(Node node);
  void connect(graph::NodeId to, Input input);

  graph::StreamNode& node(graph::NodeId id) { return graph_.nodes[id.value]; }
  bool is_empty() const { return graph_.nodes.empty(); }
  void set_default_parallelism(std::uint32_t parallelism) { default_parallelism_ = parallelism; }
  std::uint32_t default_parallelism() const { return default_parallelism_; }

  // Validates and chains; the builder is empty afterwards.
  operators::Program build(const std::string& job_name, graph::Chaining chaining);

 private:
  std::uint32_t default_parallelism_ = 1;
  graph::StreamGraph graph_;
  std::vector<std::shared_ptr<const operators::OperatorFactory>> factories_;
  std::vector<operators::Program::MakeRouter> routers_;
};

// Makes operators by calling a function, and output batches of Out; void: it puts out nothing.
template <class Out, class Make>
class Factory final : public operators::OperatorFactory {
 public:
  explicit Factory(Make make) : make_(std::move(make)) {}
  std::unique_ptr<operators::Operator> make() const override { return make_(); }
  stream::BatchPtr make_output(stream::Columns columns, std::uint32_t capacity) const override {
    if constexpr (std::is_void_v<Out>) {
      return nullptr;
    } else {
      return std::make_unique<stream::RecordBatch<Out>>(columns, capacity);
    }
  }

 private:
  const Make make_;
};

template <class Out, class Make>
std::shared_ptr<const operators::OperatorFactory> make_factory(Make make) {
  return std::make_shared<Factory<Out, Make>>(std::move(make));
}

}  // namespace weir::datastream
