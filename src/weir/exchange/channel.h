#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "weir/env/api/executor.h"
#include "weir/exchange/spsc_ring.h"
#include "weir/stream/stream_element.h"

namespace weir::exchange {

// The limits of the batches between one InputGate and its producers.
struct GateLimits {
  std::uint32_t batches_per_channel = 2;  // that a channel can always have
  std::uint32_t floating_batches = 8;     // more, for whichever channel of the gate needs them
};

// The batches of one gate that no single channel owns. All are made at once, so that a running job allocates none.
//
//   Thread  take() on any producer's, without a lock. Nobody gives a batch back while the gate lives, but the
//           consumer may hand it to another channel
class FloatingBatches {
 public:
  // `count` batches like `prototype`.
  FloatingBatches(std::uint32_t count, const stream::AnyBatch& prototype);
  // Null where none is left.
  stream::BatchPtr take();

 private:
  std::vector<stream::BatchPtr> batches_;
  std::atomic<std::size_t>
      left_;  // No partner: who counts it down to i owns batch i, which was there before.
};

// One producer's stream to one consumer: a ring of elements one way, a ring of empty batches back.
//
//   Shape   at most limits.batches_per_channel + the gate's floating batches are under way, and one
//           control element: a slot is kept for it. The channel's own batches are made with it
//   Thread  each method says whose it is. The wakers are set before either side moves
class Channel {
 public:
  // `prototype`: an empty batch of the records and columns that it carries.
  Channel(GateLimits limits, FloatingBatches& floating, const stream::AnyBatch& prototype);

  void set_consumer(env::Waker& waker) { consumer_ = &waker; }
  void set_producer(env::Waker& waker) { producer_ = &waker; }

  // Producer. An empty batch; null while all are under way: the producer is woken when one comes back.
  stream::BatchPtr take_empty();
  // Producer. A batch from take_empty(): there is always room.
  void push(stream::BatchPtr batch);
  // Producer. False while the last control element has not been taken; the producer is woken then.
  bool push_control(stream::StreamElement element);
  // Producer. The consumer has nothing left to read here.
  bool is_starving() const { return elements_.is_empty(); }

  // Consumer. The oldest element, null where there is none.
  stream::StreamElement* front() { return elements_.front(); }
  // Consumer. Drops what front() showed.
  void pop();
  // Consumer. A batch that has been read.
  void give_back(stream::BatchPtr batch);
  // Consumer. Its producer could not get a batch and waits.
  bool is_wanting() const { return wanting_.load(std::memory_order_acquire); }
  // Consumer. More batches than it is entitled to: one may go to another channel.
  bool has_floating() const {
    return owned_.load(std::memory_order_relaxed) > limits_.batches_per_channel;
  }
  // Consumer. A batch that comes from `other` and belongs here from now on.
  void adopt(stream::BatchPtr batch, Channel& other);

  // Any thread; for the watchdog.
  std::size_t queued() const { return elements_.size(); }

 private:
  const GateLimits limits_;
  FloatingBatches& floating_;
  SpscRing<stream::StreamElement> elements_;
  SpscRing<stream::BatchPtr> empties_;
  std::atomic<std::uint32_t> owned_;  // batches; counted up by the producer, moved by the consumer
  // Set by a producer that found no batch or no slot, cleared by the consumer that wakes it.
  // Partner: each other.
  std::atomic<bool> wanting_{false};
  std::atomic<bool> control_under_way_{false};
  env::Waker* consumer_ = nullptr;
  env::Waker* producer_ = nullptr;
};

}  // namespace weir::exchange
