#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weir/base/id.h"
#include "weir/protocol/checkpoint/completed_checkpoint.h"

namespace weir::checkpoint {

// The completed checkpoints that are kept, oldest first: the newest `retained`, and always the
// newest.
//
//   Thread  none of its own: a part of the CheckpointCoordinator
class CompletedStore {
 public:
  explicit CompletedStore(std::uint32_t retained);

  // What an earlier run left, in any order.
  void begin(std::vector<CompletedCheckpoint> kept);
  // Adds a checkpoint newer than all others; the ones that it subsumes are returned, oldest first.
  std::vector<CompletedCheckpoint> add(CompletedCheckpoint checkpoint);

  // nullptr while there is none.
  const CompletedCheckpoint* newest() const { return kept_.empty() ? nullptr : &kept_.back(); }
  std::optional<CheckpointId> newest_id() const;
  const std::vector<CompletedCheckpoint>& kept() const { return kept_; }

 private:
  const std::uint32_t retained_;
  std::vector<CompletedCheckpoint> kept_;
};

}  // namespace weir::checkpoint
