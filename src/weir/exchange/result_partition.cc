#include "weir/exchange/result_partition.h"

#include <algorithm>

namespace weir::exchange {

ResultPartition::ResultPartition(const std::vector<Channel*>& channels,
                                 std::unique_ptr<stream::Router> router)
    : router_(std::move(router)), targets_(channels.size()) {
  for (Channel* channel : channels) channels_.push_back({channel, nullptr, false});
}

stream::BatchPtr ResultPartition::open() {
  for (std::size_t tried = 0; tried != channels_.size(); ++tried) {
    if (auto batch = channels_[next_].channel->take_empty()) return batch;
    next_ = (next_ + 1) % channels_.size();
  }
  return nullptr;
}

void ResultPartition::push(stream::BatchPtr batch) {
  channels_[next_].channel->push(std::move(batch));
  next_ = (next_ + 1) % channels_.size();
}

std::uint32_t ResultPartition::scatter(stream::AnyBatch& batch, std::uint32_t from) {
  if (from >= routed_ || routed_ > batch.size()) routed_ = from;
  if (routed_ < batch.size()) {
    target_of_.resize(std::max<std::size_t>(target_of_.size(), batch.capacity()));
    router_->route(batch, routed_, static_cast<std::uint32_t>(channels_.size()), target_of_.data());
    routed_ = batch.size();
  }
  const auto start = from;
  while (from != batch.size()) {
    for (std::size_t i = 0; i != channels_.size(); ++i) {
      auto& lane = channels_[i];
      if (lane.open && lane.open->is_full()) flush_lane(i);
      if (!lane.open) lane.open = lane.channel->take_empty();
      if (!lane.open) return from - start;
      targets_[i] = lane.open.get();
    }
    from += batch.scatter(from, target_of_, targets_);
  }
  routed_ = 0;
  return from - start;
}

void ResultPartition::flush_lane(std::size_t i) {
  auto& lane = channels_[i];
  if (lane.open && !lane.open->is_empty()) lane.channel->push(std::move(lane.open));
}

void ResultPartition::flush() {
  for (std::size_t i = 0; i != channels_.size(); ++i) flush_lane(i);
}

void ResultPartition::flush_to_idle() {
  for (std::size_t i = 0; i != channels_.size(); ++i)
    if (channels_[i].channel->is_starving()) flush_lane(i);
}

bool ResultPartition::is_idle() const {
  return std::any_of(channels_.begin(), channels_.end(),
                     [](const Lane& lane) { return lane.channel->is_starving(); });
}

template <class Element>
bool ResultPartition::put_everywhere(const Element& element) {
  bool everywhere = true;
  for (auto& lane : channels_) {
    if (!lane.has_control) lane.has_control = lane.channel->push_control(element);
    everywhere = everywhere && lane.has_control;
  }
  if (everywhere)
    for (auto& lane : channels_) lane.has_control = false;
  return everywhere;
}

bool ResultPartition::broadcast(const CheckpointBarrier& barrier) {
  return put_everywhere(barrier);
}
bool ResultPartition::broadcast(stream::EndOfData end) { return put_everywhere(end); }
bool ResultPartition::broadcast(stream::EndOfPartition end) { return put_everywhere(end); }

}  // namespace weir::exchange
