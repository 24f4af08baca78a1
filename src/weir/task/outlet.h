#pragma once

#include <memory>
#include <vector>

#include "weir/exchange/result_partition.h"
#include "weir/operators/api/output.h"

namespace weir::task {

enum class Flush : unsigned char {
  kFull,    // only batches that are full
  kToIdle,  // also what a consumer waits for that has nothing to read
  kAll,     // everything: before a control element, and when the Subtask has nothing to do
};

// The end of a chain: moves what its last operator puts out into the edges that leave the Subtask.
//
// One edge is served without copying: batches are exchanged for empty ones, or scattered. With
// several each gets a copy. Without any, what comes is for nobody, and goes.
//
//   Thread  the Subtask's
class Outlet {
 public:
  // `output` outlives it.
  Outlet(operators::Output& output, std::vector<std::unique_ptr<exchange::ResultPartition>> edges);

  // Moves out what can be moved; false while an edge has no room for something that should go.
  bool drain(Flush flush);
  // Puts a control element behind everything; call it until it is true, after drain(Flush::kAll)
  // was.
  template <class Control>
  bool broadcast(const Control& control) {
    bool everywhere = true;
    for (auto& lane : lanes_) {
      if (!lane.has_control) lane.has_control = lane.edge->broadcast(control);
      everywhere = everywhere && lane.has_control;
    }
    if (everywhere)
      for (auto& lane : lanes_) lane.has_control = false;
    return everywhere;
  }
  // Whether any edge asks a key selector where a record goes.
  bool deals_by_key() const;

 private:
  struct Lane {
    std::unique_ptr<exchange::ResultPartition> edge;
    std::uint32_t scattered = 0;  // records of the batch at hand that have gone
    stream::BatchPtr copy;        // with several edges: what this one still has to send
    bool has_control = false;
  };

  bool discard();
  bool drain_only_edge(Flush flush);
  bool drain_copies();
  bool must_go(const stream::AnyBatch& batch, Flush flush) const;
  bool is_wanted(Flush flush) const;
  bool exchange_batches(Lane& lane, Flush flush);
  bool scatter(Lane& lane, stream::AnyBatch& batch);
  static void flush_edge(Lane& lane, Flush flush);

  operators::Output& output_;
  std::vector<Lane> lanes_;
};

}  // namespace weir::task
