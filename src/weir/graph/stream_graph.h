#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/stream/columns.h"

namespace weir::graph {

// A node's place in its StreamGraph.
using NodeId = Id<struct NodeMeaning, std::uint32_t>;

// How the records of an edge are dealt to the consumer's Subtasks.
enum class Partitioning : std::uint8_t {
  kForward,    // Subtask i to Subtask i
  kRebalance,  // whole batches in turn
  kHash,       // by the KeyGroup of the key
  kDirect,     // to the Subtask that the record names: assignments of splits
};

// One transformation of the program.
struct StreamNode {
  std::string name;
  std::string uid;  // empty: the id comes from the node's place
  std::uint32_t parallelism = 1;
  std::uint32_t max_parallelism = 0;  // 0: from the parallelism
  bool is_source = false;             // puts out records that no input asked for
  bool is_keyed = false;              // has keyed state
  bool blocks = false;                // needs a thread of its own
  bool may_chain = true;              // with the operator before it

  friend bool operator==(const StreamNode&, const StreamNode&) = default;
};

// Records of one node that another one reads.
struct StreamEdge {
  NodeId from;
  NodeId to;
  std::uint32_t input = 0;  // which of the consumer's inputs
  Partitioning partitioning = Partitioning::kForward;
  stream::Columns columns;

  friend bool operator==(const StreamEdge&, const StreamEdge&) = default;
};

// What the DataStream program said: one node per transformation, in the order they were written.
//
//   Shape   node i has NodeId{i}; an edge goes from an earlier node to a later one
struct StreamGraph {
  std::string job_name;
  std::vector<StreamNode> nodes;
  std::vector<StreamEdge> edges;

  const StreamNode& node(NodeId id) const { return nodes[id.value]; }
  friend bool operator==(const StreamGraph&, const StreamGraph&) = default;
};

// The id of a node's state: of its uid, else of its place.
OperatorId operator_id_of(const StreamGraph& graph, NodeId node);

// Says what makes the job impossible, naming the operator: two of one uid, a parallelism out of range, no source, a
// forward edge between unequal parallelisms, a keyed operator whose input is not dealt by key.
Status validate(const StreamGraph& graph);

}  // namespace weir::graph
