#include <numeric>
#include <thread>

#include "weir/exchange/input_gate.h"
#include "weir/exchange/result_partition.h"
#include "weir/stream/record_batch.h"

namespace weir::exchange {
namespace {

using stream::BatchPtr;
using stream::RecordBatch;
using Numbers = RecordBatch<std::uint64_t>;

struct CountingWaker final : env::Waker {
  CountingWaker() { take(); }
  void became_ready() override { ++woken; }
  void sleep() { take(); }
  int woken = 0;
};

struct ByValue final : stream::Router {
  void route(stream::AnyBatch& batch, std::uint32_t from, std::uint32_t consumers,
             std::uint16_t* target_of) override {
    const auto& numbers = static_cast<Numbers&>(batch);
    for (auto i = from; i != batch.size(); ++i)
      target_of[i] = static_cast<std::uint16_t>(numbers[i] % consumers);
  }
};

const Numbers kPrototype({}, 8);

struct Rig {
  explicit Rig(std::uint32_t channel_count,
               GateLimits gate_limits = {.batches_per_channel = 2, .floating_batches = 1})
      : floating(gate_limits.floating_batches, kPrototype) {
    for (std::uint32_t i = 0; i != channel_count; ++i) {
      channels.push_back(std::make_unique<Channel>(gate_limits, floating, kPrototype));
      channels.back()->set_producer(producer);
      channels.back()->set_consumer(consumer);
      pointers.push_back(channels.back().get());
    }
  }
  CountingWaker producer;
  CountingWaker consumer;
  FloatingBatches floating;
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<Channel*> pointers;
};

TEST(Channel, GivesOutNoMoreBatchesThanItsLimitAndWakesTheProducerWhenOneComesBack) {
  Rig rig(1);
  Channel& channel = *rig.channels[0];
  for (int i = 0; i != 3; ++i) channel.push(channel.take_empty());
  EXPECT_EQ(channel.take_empty(), nullptr);
  EXPECT_EQ(rig.producer.woken, 0);
  auto batch = std::get<BatchPtr>(std::move(*channel.front()));
  channel.pop();
  channel.give_back(std::move(batch));
  EXPECT_EQ(rig.producer.woken, 1);
  EXPECT_NE(channel.take_empty(), nullptr);
}

// Counts how many of its kind were ever made.
struct Counted {
  static inline int made = 0;
  std::uint64_t value = static_cast<std::uint64_t>(++made);
};

TEST(Channel, MakesAllItsBatchesWithItself) {
  const RecordBatch<Counted> prototype({}, 8);
  FloatingBatches floating(3, prototype);
  Channel channel({.batches_per_channel = 2, .floating_batches = 3}, floating, prototype);
  EXPECT_EQ(Counted::made, (1 + 3 + 2) * 8);
  std::vector<BatchPtr> taken;
  while (auto batch = channel.take_empty()) taken.push_back(std::move(batch));
  EXPECT_EQ(taken.size(), 5u);
  EXPECT_EQ(Counted::made, (1 + 3 + 2) * 8);
}

TEST(Channel, ABarrierFindsRoomWhenEveryBatchIsUnderWay) {
  Rig rig(1);
  Channel& channel = *rig.channels[0];
  for (int i = 0; i != 3; ++i) channel.push(channel.take_empty());
  EXPECT_TRUE(channel.push_control(CheckpointBarrier{.id = {1}}));
  EXPECT_FALSE(channel.push_control(CheckpointBarrier{.id = {2}}));
  for (int i = 0; i != 3; ++i) channel.pop();
  EXPECT_EQ(std::get<CheckpointBarrier>(*channel.front()).id.value, 1u);
  channel.pop();
  EXPECT_EQ(rig.producer.woken, 1);
  EXPECT_TRUE(channel.push_control(CheckpointBarrier{.id = {2}}));
}

TEST(ResultPartition, ScattersRecordsInOrderAndStopsWhenAChannelIsFull) {
  Rig rig(2);
  ResultPartition partition(rig.pointers, std::make_unique<ByValue>());
  Numbers all({}, 200);
  for (std::uint64_t i = 0; i != 200; ++i) all.append() = i;
  std::vector<std::uint64_t> got[2];
  for (std::uint32_t at = 0; at != 200;) {
    const auto moved = partition.scatter(all, at);
    at += moved;
    if (at == 200) partition.flush();
    for (int c = 0; c != 2; ++c) {
      while (auto* element = rig.channels[c]->front()) {
        auto batch = std::get<BatchPtr>(std::move(*element));
        rig.channels[c]->pop();
        for (std::uint32_t i = 0; i != batch->size(); ++i)
          got[c].push_back(static_cast<Numbers&>(*batch)[i]);
        rig.channels[c]->give_back(std::move(batch));
      }
    }
  }
  for (std::uint64_t c = 0; c != 2; ++c) {
    ASSERT_EQ(got[c].size(), 100u);
    for (std::uint64_t i = 0; i != 100; ++i) EXPECT_EQ(got[c][i], 2 * i + c);
  }
}

TEST(ResultPartition, ABarrierGoesOnWhereItWasStoppedAndNowhereTwice) {
  Rig rig(2);
  ResultPartition partition(rig.pointers, std::make_unique<ByValue>());
  ASSERT_TRUE(rig.channels[1]->push_control(stream::EndOfData{}));
  const CheckpointBarrier barrier{.id = {7}};
  EXPECT_FALSE(partition.broadcast(barrier));
  EXPECT_FALSE(partition.broadcast(barrier));
  rig.channels[1]->pop();
  EXPECT_TRUE(partition.broadcast(barrier));
  for (const auto& channel : rig.channels) {
    EXPECT_EQ(channel->queued(), 1u);
    EXPECT_EQ(std::get<CheckpointBarrier>(*channel->front()).id.value, 7u);
  }
}

TEST(ResultPartition, WithoutARouterBatchesGoRound) {
  Rig rig(3);
  ResultPartition partition(rig.pointers, nullptr);
  for (std::uint64_t i = 0; i != 6; ++i) {
    auto batch = partition.open();
    static_cast<Numbers&>(*batch).append() = i;
    partition.push(std::move(batch));
  }
  for (const auto& channel : rig.channels) EXPECT_EQ(channel->queued(), 2u);
}

TEST(InputGate, TakesChannelsInTurnAndLeavesHeldOnesAlone) {
  Rig rig(3);
  InputGate gate({{.input = 0, .channels = rig.pointers}});
  for (auto* channel : rig.pointers) channel->push(channel->take_empty());
  std::vector<std::uint32_t> order;
  const auto is_held = [](std::uint32_t channel) { return channel == 1; };
  while (const auto channel = gate.next(is_held)) {
    order.push_back(*channel);
    auto batch = std::get<BatchPtr>(std::move(gate.front(*channel)));
    gate.pop(*channel);
    gate.give_back(*channel, std::move(batch));
  }
  EXPECT_EQ(order.size(), 2u);
  EXPECT_EQ(order[0] + order[1], 2u);
}

TEST(InputGate, AFloatingBatchGoesToTheChannelThatWantsIt) {
  Rig rig(2);
  InputGate gate({{.input = 0, .channels = rig.pointers}});
  Channel& greedy = *rig.pointers[0];
  Channel& poor = *rig.pointers[1];
  for (int i = 0; i != 3; ++i) greedy.push(greedy.take_empty());
  BatchPtr held[2] = {poor.take_empty(), poor.take_empty()};
  EXPECT_EQ(poor.take_empty(), nullptr);
  auto batch = std::get<BatchPtr>(std::move(*greedy.front()));
  gate.pop(0);
  gate.give_back(0, std::move(batch));
  EXPECT_NE(poor.take_empty(), nullptr);
  EXPECT_FALSE(greedy.has_floating());
}

// A million numbers between two threads through a tiny ring: none lost, none out of order.
TEST(ChannelStress, NumbersArriveInOrderBetweenThreads) {
  struct SpinWaker final : env::Waker {
    void became_ready() override {}
  } waker;
  FloatingBatches floating(0, kPrototype);
  Channel channel({.batches_per_channel = 2, .floating_batches = 0}, floating, kPrototype);
  channel.set_consumer(waker);
  channel.set_producer(waker);
  constexpr std::uint64_t kCount = 200'000;
  std::thread producer([&] {
    for (std::uint64_t i = 0; i != kCount;) {
      auto batch = channel.take_empty();
      if (!batch) {
        std::this_thread::yield();
        continue;
      }
      while (i != kCount && !batch->is_full()) static_cast<Numbers&>(*batch).append() = i++;
      channel.push(std::move(batch));
      if (i % 64 == 0)
        while (!channel.push_control(CheckpointBarrier{.id = {i}})) std::this_thread::yield();
    }
    while (!channel.push_control(stream::EndOfData{})) std::this_thread::yield();
  });
  std::uint64_t next = 0;
  for (bool is_over = false; !is_over;) {
    auto* element = channel.front();
    if (!element) {
      std::this_thread::yield();
      continue;
    }
    if (auto* batch = std::get_if<BatchPtr>(element)) {
      auto taken = std::move(*batch);
      channel.pop();
      for (std::uint32_t i = 0; i != taken->size(); ++i)
        ASSERT_EQ(static_cast<Numbers&>(*taken)[i], next++);
      channel.give_back(std::move(taken));
      continue;
    }
    if (auto* barrier = std::get_if<CheckpointBarrier>(element)) {
      EXPECT_EQ(barrier->id.value, next);
    }
    is_over = std::holds_alternative<stream::EndOfData>(*element);
    channel.pop();
  }
  producer.join();
  EXPECT_EQ(next, kCount);
}

}  // namespace
}  // namespace weir::exchange
