#include "weir/protocol/checkpoint/completed_store.h"

#include <algorithm>
#include <iterator>

#include "weir/base/check.h"

namespace weir::checkpoint {

CompletedStore::CompletedStore(std::uint32_t retained)
    : retained_(std::max<std::uint32_t>(retained, 1)) {}

void CompletedStore::begin(std::vector<CompletedCheckpoint> kept) {
  kept_ = std::move(kept);
  std::sort(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

std::vector<CompletedCheckpoint> CompletedStore::add(CompletedCheckpoint checkpoint) {
  WEIR_CHECK(kept_.empty() || kept_.back().id < checkpoint.id);
  kept_.push_back(std::move(checkpoint));
  if (kept_.size() <= retained_) return {};
  const auto end = kept_.end() - static_cast<std::ptrdiff_t>(retained_);
  std::vector<CompletedCheckpoint> subsumed(std::make_move_iterator(kept_.begin()),
                                            std::make_move_iterator(end));
  kept_.erase(kept_.begin(), end);
  return subsumed;
}

std::optional<CheckpointId> CompletedStore::newest_id() const {
  if (kept_.empty()) return std::nullopt;
  return kept_.back().id;
}

}  // namespace weir::checkpoint
