#include "weir/protocol/checkpoint/pending_checkpoints.h"

#include <algorithm>
#include <utility>

#include "weir/base/check.h"

namespace weir::checkpoint {

PendingCheckpoint& PendingCheckpoints::add(PendingCheckpoint pending) {
  const auto id = pending.id();
  const auto [at, is_new] = pending_.emplace(id, std::move(pending));
  WEIR_CHECK(is_new);
  return at->second;
}

PendingCheckpoint PendingCheckpoints::complete(CheckpointId id) {
  auto node = pending_.extract(id);
  WEIR_CHECK(!node.empty());
  return std::move(node.mapped());
}

PendingCheckpoint PendingCheckpoints::abort(CheckpointId id) {
  aborted_.push_back(id);
  if (aborted_.size() > kAbortedRemembered) aborted_.pop_front();
  return complete(id);
}

template <class Condition>
PendingCheckpoint* PendingCheckpoints::first(Condition condition) {
  for (auto& [id, pending] : pending_)
    if (condition(pending)) return &pending;
  return nullptr;
}

template <class Condition>
std::vector<CheckpointId> PendingCheckpoints::open_where(Condition condition) const {
  std::vector<CheckpointId> out;
  for (const auto& [id, pending] : pending_)
    if (!pending.sealed() && condition(pending)) out.push_back(id);
  return out;
}

PendingCheckpoint* PendingCheckpoints::find(CheckpointId id) {
  return first([id](const auto& p) { return p.id() == id; });
}

PendingCheckpoint* PendingCheckpoints::awaiting(TaskId task) {
  return first([task](const auto& p) { return p.awaits(task); });
}

PendingCheckpoint* PendingCheckpoints::sealed() {
  return first([](const auto& p) { return p.sealed(); });
}

PendingCheckpoint* PendingCheckpoints::acknowledged() {
  return first([](const auto& p) { return !p.sealed() && !p.awaits_anyone(); });
}

std::vector<CheckpointId> PendingCheckpoints::open() const {
  return open_where([](const auto&) { return true; });
}

std::vector<CheckpointId> PendingCheckpoints::open_below(CheckpointId id) const {
  return open_where([id](const auto& p) { return p.id() < id; });
}

std::vector<CheckpointId> PendingCheckpoints::expired(Instant now) const {
  return open_where([now](const auto& p) { return p.deadline() <= now; });
}

std::vector<CheckpointId> PendingCheckpoints::awaiting_all(TaskId task) const {
  return open_where([task](const auto& p) { return p.awaits(task); });
}

bool PendingCheckpoints::was_aborted(CheckpointId id) const {
  return std::find(aborted_.begin(), aborted_.end(), id) != aborted_.end();
}

Instant PendingCheckpoints::earliest_deadline() const {
  Instant when = Instant::never();
  for (const auto& [id, pending] : pending_)
    if (!pending.sealed()) when = std::min(when, pending.deadline());
  return when;
}

}  // namespace weir::checkpoint
