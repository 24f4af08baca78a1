#include "weir/exchange/channel.h"

namespace weir::exchange {
namespace {
std::size_t batches_max(GateLimits limits) {
  return std::size_t{limits.batches_per_channel} + limits.floating_batches;
}
}  // namespace

FloatingBatches::FloatingBatches(std::uint32_t count, const stream::AnyBatch& prototype)
    : left_(count) {
  for (std::uint32_t i = 0; i != count; ++i)
    batches_.push_back(prototype.make_another(prototype.columns(), prototype.capacity()));
}

stream::BatchPtr FloatingBatches::take() {
  auto left = left_.load(std::memory_order_relaxed);
  while (left != 0)
    if (left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed))
      return std::move(batches_[left - 1]);
  return nullptr;
}

Channel::Channel(GateLimits limits, FloatingBatches& floating, const stream::AnyBatch& prototype)
    : limits_(limits),
      floating_(floating),
      elements_(batches_max(limits) + 1),
      empties_(batches_max(limits)),
      owned_(limits.batches_per_channel) {
  WEIR_CHECK(limits.batches_per_channel != 0);
  for (std::uint32_t i = 0; i != limits.batches_per_channel; ++i)
    std::ignore = empties_.push(prototype.make_another(prototype.columns(), prototype.capacity()));
}

stream::BatchPtr Channel::take_empty() {
  // The flag goes up before the second look, and the consumer looks at it after giving back: one
  // sees the other.
  for (const bool last_look : {false, true}) {
    if (stream::BatchPtr* empty = empties_.front()) {
      auto batch = std::move(*empty);
      empties_.pop();
      return batch;
    }
    if (auto batch = floating_.take()) {
      owned_.fetch_add(1, std::memory_order_relaxed);
      return batch;
    }
    if (!last_look) wanting_.exchange(true, std::memory_order_acq_rel);
  }
  return nullptr;
}

void Channel::push(stream::BatchPtr batch) {
  const bool has_room = elements_.push(std::move(batch));
  WEIR_CHECK(has_room);
  consumer_->wake();
}

bool Channel::push_control(stream::StreamElement element) {
  for (const bool last_look : {false, true}) {
    if (!control_under_way_.load(std::memory_order_acquire)) {
      control_under_way_.store(true, std::memory_order_relaxed);
      const bool has_room = elements_.push(std::move(element));
      WEIR_CHECK(has_room);
      consumer_->wake();
      return true;
    }
    if (!last_look) wanting_.exchange(true, std::memory_order_acq_rel);
  }
  return false;
}

void Channel::pop() {
  const bool was_control = !std::holds_alternative<stream::BatchPtr>(*elements_.front());
  elements_.pop();
  if (!was_control) return;
  control_under_way_.store(false, std::memory_order_release);
  if (wanting_.exchange(false, std::memory_order_acq_rel)) producer_->wake();
}

void Channel::give_back(stream::BatchPtr batch) {
  batch->clear();
  const bool has_room = empties_.push(std::move(batch));
  WEIR_CHECK(has_room);
  if (wanting_.exchange(false, std::memory_order_acq_rel)) producer_->wake();
}

void Channel::adopt(stream::BatchPtr batch, Channel& other) {
  other.owned_.fetch_sub(1, std::memory_order_relaxed);
  owned_.fetch_add(1, std::memory_order_relaxed);
  give_back(std::move(batch));
}

}  // namespace weir::exchange
