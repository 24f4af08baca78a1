#include "weir/task/outlet.h"

#include <algorithm>

namespace weir::task {

Outlet::Outlet(operators::Output& output,
               std::vector<std::unique_ptr<exchange::ResultPartition>> edges)
    : output_(output) {
  for (auto& edge : edges) {
    stream::BatchPtr copy;
    if (edges.size() > 1)
      copy =
          output.any_open().make_another(output.any_open().columns(), output.any_open().capacity());
    lanes_.push_back({.edge = std::move(edge), .copy = std::move(copy)});
  }
}

bool Outlet::drain(Flush flush) {
  if (lanes_.empty()) return discard();
  if (lanes_.size() == 1) return drain_only_edge(flush);
  if (!drain_copies()) return false;
  while (stream::AnyBatch* batch = output_.oldest()) {
    if (!must_go(*batch, flush) && !is_wanted(flush)) break;
    for (auto& lane : lanes_) batch->copy_range(0, batch->size(), *lane.copy);
    output_.clear_oldest();
    if (!drain_copies()) return false;
  }
  for (auto& lane : lanes_) flush_edge(lane, flush);
  return true;
}

bool Outlet::deals_by_key() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.edge->is_scattering(); });
}

bool Outlet::must_go(const stream::AnyBatch& batch, Flush flush) const {
  return batch.is_full() || output_.has_overflow() || flush == Flush::kAll;
}

// Whether a batch that need not go is waited for.
bool Outlet::is_wanted(Flush flush) const {
  if (flush != Flush::kToIdle) return false;
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.edge->is_idle(); });
}

bool Outlet::discard() {
  while (output_.oldest()) output_.clear_oldest();
  return true;
}

bool Outlet::drain_only_edge(Flush flush) {
  Lane& lane = lanes_.front();
  if (!lane.edge->is_scattering()) return exchange_batches(lane, flush);
  while (stream::AnyBatch* batch = output_.oldest()) {
    if (!scatter(lane, *batch)) return false;
    output_.clear_oldest();
  }
  flush_edge(lane, flush);
  return true;
}

// Every batch that goes is replaced by an empty one of the channel, so that neither side runs out.
bool Outlet::exchange_batches(Lane& lane, Flush flush) {
  while (stream::AnyBatch* batch = output_.oldest()) {
    const bool has_to = must_go(*batch, flush);
    if (!has_to && !is_wanted(flush)) return true;
    auto empty = lane.edge->open();
    if (!empty) return !has_to;
    lane.edge->push(output_.take_oldest(std::move(empty)));
  }
  return true;
}

bool Outlet::scatter(Lane& lane, stream::AnyBatch& batch) {
  lane.scattered += lane.edge->scatter(batch, lane.scattered);
  if (lane.scattered != batch.size()) return false;
  lane.scattered = 0;
  return true;
}

bool Outlet::drain_copies() {
  bool all = true;
  for (auto& lane : lanes_) {
    if (lane.copy->is_empty()) continue;
    if (lane.edge->is_scattering()) {
      if (scatter(lane, *lane.copy)) lane.copy->clear();
    } else if (auto empty = lane.edge->open()) {
      lane.edge->push(std::exchange(lane.copy, std::move(empty)));
    }
    all = all && lane.copy->is_empty();
  }
  return all;
}

void Outlet::flush_edge(Lane& lane, Flush flush) {
  if (flush == Flush::kAll) lane.edge->flush();
  if (flush == Flush::kToIdle) lane.edge->flush_to_idle();
}

}  // namespace weir::task
