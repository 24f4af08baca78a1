#include "weir/task/outlet.h"

#include "weir/base/random.h"
#include "weir/stream/router.h"

namespace weir::task {
namespace {

using Numbers = stream::RecordBatch<std::uint64_t>;

struct IdleWaker final : env::Waker {
  void became_ready() override {}
};

struct ByValue final : stream::Router {
  void route(stream::AnyBatch& batch, std::uint32_t from, std::uint32_t consumers,
             std::uint16_t* target_of) override {
    for (auto i = from; i != batch.size(); ++i)
      target_of[i] = static_cast<std::uint16_t>(static_cast<Numbers&>(batch)[i] % consumers);
  }
};

enum class Edge { kDirect, kScattering };

// An outlet with edges of two channels each.
class OutletRig {
 public:
  OutletRig(const std::vector<Edge>& edges, std::uint32_t batch_records,
            exchange::GateLimits limits)
      : output_(std::make_unique<Numbers>(stream::Columns{}, batch_records), 1 << 20),
        outlet_(output_, make_edges(edges, batch_records, limits)),
        got_(channels_.size()) {}

  operators::Output& output() { return output_; }
  Outlet& outlet() { return outlet_; }
  // As an operator does it: false where there is no room.
  bool put(std::uint64_t number) {
    if (output_.room() == 0) return false;
    output_.open_batch<std::uint64_t>().append() = number;
    return true;
  }
  // Takes everything that waits in that channel; a barrier is a number above a million.
  void receive(std::size_t channel) {
    while (auto* element = channels_[channel]->front()) {
      if (auto* in_ring = std::get_if<stream::BatchPtr>(element)) {
        auto batch = std::move(*in_ring);
        channels_[channel]->pop();
        for (std::uint32_t i = 0; i != batch->size(); ++i)
          got_[channel].push_back(static_cast<Numbers&>(*batch)[i]);
        channels_[channel]->give_back(std::move(batch));
      } else {
        got_[channel].push_back(1'000'000 + std::get<CheckpointBarrier>(*element).id.value);
        channels_[channel]->pop();
      }
    }
  }
  void receive() {
    for (std::size_t i = 0; i != channels_.size(); ++i) receive(i);
  }
  std::size_t queued(std::size_t channel) const { return channels_[channel]->queued(); }
  const std::vector<std::vector<std::uint64_t>>& got() const { return got_; }

 private:
  std::vector<std::unique_ptr<exchange::ResultPartition>> make_edges(const std::vector<Edge>& edges,
                                                                     std::uint32_t batch_records,
                                                                     exchange::GateLimits limits) {
    std::vector<std::unique_ptr<exchange::ResultPartition>> partitions;
    for (const auto edge : edges) {
      std::vector<exchange::Channel*> lanes;
      for (int i = 0; i != 2; ++i) {
        channels_.push_back(
            std::make_unique<exchange::Channel>(limits, floating_, Numbers({}, batch_records)));
        channels_.back()->set_producer(waker_);
        channels_.back()->set_consumer(waker_);
        lanes.push_back(channels_.back().get());
      }
      partitions.push_back(std::make_unique<exchange::ResultPartition>(
          lanes, edge == Edge::kScattering ? std::make_unique<ByValue>() : nullptr));
    }
    return partitions;
  }

  IdleWaker waker_;
  exchange::FloatingBatches floating_{0, Numbers{}};
  std::vector<std::unique_ptr<exchange::Channel>> channels_;
  operators::Output output_;
  Outlet outlet_;
  std::vector<std::vector<std::uint64_t>> got_;
};

std::vector<std::uint64_t> merged(const std::vector<std::uint64_t>& a,
                                  const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  return all;
}

// Numbers 0 .. 999 with a barrier after every 90 of them, channels emptied at random.
void send_and_compare(const std::vector<Edge>& edges, std::uint32_t batch_records,
                      exchange::GateLimits limits, std::uint64_t seed) {
  Random random(seed);
  OutletRig rig(edges, batch_records, limits);
  const auto receive_some = [&] { rig.receive(random.below(edges.size() * 2)); };
  for (std::uint64_t n = 0; n != 1000; ++n) {
    while (!rig.put(n)) {
      if (!rig.outlet().drain(Flush::kFull)) receive_some();
    }
    if (random.below(10) == 0) rig.outlet().drain(Flush::kToIdle);
    if (n % 90 != 89) continue;
    while (!rig.outlet().drain(Flush::kAll)) receive_some();
    EXPECT_TRUE(rig.output().is_empty());
    while (!rig.outlet().broadcast(CheckpointBarrier{.id = {n}})) receive_some();
  }
  while (!rig.outlet().drain(Flush::kAll)) rig.receive();
  rig.receive();

  for (std::size_t edge = 0; edge != edges.size(); ++edge) {
    std::vector<std::uint64_t> records[2];
    std::vector<std::uint64_t> before_barrier[2];
    for (std::size_t c = 0; c != 2; ++c) {
      std::uint64_t barriers = 0;
      for (const auto n : rig.got()[edge * 2 + c]) {
        if (n < 1'000'000) {
          // No record overtakes a barrier, nor a barrier a record.
          EXPECT_EQ(n / 90, barriers);
          EXPECT_TRUE(records[c].empty() || records[c].back() < n);
          records[c].push_back(n);
          if (edges[edge] == Edge::kScattering) {
            EXPECT_EQ(n % 2, c);
          }
        } else {
          EXPECT_EQ(n, 1'000'000 + barriers * 90 + 89);
          ++barriers;
        }
      }
      EXPECT_EQ(barriers, 11u);
    }
    const auto all = merged(records[0], records[1]);
    ASSERT_EQ(all.size(), 1000u);
    for (std::uint64_t n = 0; n != 1000; ++n) EXPECT_EQ(all[n], n);
  }
}

TEST(Outlet, EveryRecordAndBarrierReachesEveryEdgeInOrderWhateverBlocks) {
  const std::vector<std::vector<Edge>> shapes = {
      {Edge::kDirect},
      {Edge::kScattering},
      {Edge::kDirect, Edge::kDirect},
      {Edge::kDirect, Edge::kScattering},
      {Edge::kScattering, Edge::kScattering, Edge::kDirect}};
  for (const auto& shape : shapes)
    for (const std::uint32_t records : {1u, 7u, 64u})
      for (const std::uint32_t batches : {1u, 2u, 3u})
        send_and_compare(shape, records, {.batches_per_channel = batches, .floating_batches = 0},
                         records * 10 + batches);
}

TEST(Outlet, WhatNobodyConsumesNeverBlocks) {
  OutletRig rig({}, 4, {.batches_per_channel = 2, .floating_batches = 0});
  for (std::uint64_t n = 0; n != 100; ++n) {
    while (!rig.put(n)) ASSERT_TRUE(rig.outlet().drain(Flush::kFull)) << n;
    if (rig.output().room() != 0) continue;
    ASSERT_TRUE(rig.outlet().drain(n % 8 == 7 ? Flush::kToIdle : Flush::kFull));
    ASSERT_NE(rig.output().room(), 0u) << n;
  }
  rig.put(100);
  EXPECT_TRUE(rig.outlet().drain(Flush::kAll));
  EXPECT_TRUE(rig.output().is_empty());
  EXPECT_TRUE(rig.outlet().broadcast(CheckpointBarrier{.id = {1}}));
}

TEST(Outlet, ABatchThatIsNotFullWaitsUntilAConsumerIdlesOrEverythingGoes) {
  for (const auto& shape :
       {std::vector{Edge::kDirect}, std::vector{Edge::kDirect, Edge::kDirect}}) {
    OutletRig rig(shape, 4, {.batches_per_channel = 2, .floating_batches = 0});
    rig.put(1);
    EXPECT_TRUE(rig.outlet().drain(Flush::kFull));
    EXPECT_EQ(rig.queued(0), 0u);
    EXPECT_TRUE(rig.outlet().drain(Flush::kToIdle));
    EXPECT_EQ(rig.queued(0), 1u);
    rig.receive();
    rig.put(2);
    EXPECT_TRUE(rig.outlet().drain(Flush::kFull));
    EXPECT_EQ(rig.queued(1), 0u);
    EXPECT_TRUE(rig.outlet().drain(Flush::kAll));
    EXPECT_EQ(rig.queued(1), 1u);
  }
}

TEST(Outlet, WhatOverflowedLeavesFirstAndTheOperatorHasRoomAgain) {
  OutletRig rig({Edge::kDirect}, 2, {.batches_per_channel = 4, .floating_batches = 0});
  operators::Collector<std::uint64_t> collector(rig.output());
  for (std::uint64_t n = 0; n != 7; ++n) collector.emit(n);
  EXPECT_EQ(rig.output().room(), 0u);
  EXPECT_TRUE(rig.outlet().drain(Flush::kFull));
  EXPECT_EQ(rig.output().room(), 1u);
  EXPECT_TRUE(rig.outlet().drain(Flush::kAll));
  rig.receive();
  EXPECT_EQ(merged(rig.got()[0], rig.got()[1]), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(rig.got()[0], (std::vector<std::uint64_t>{0, 1, 4, 5}));
}

}  // namespace
}  // namespace weir::task
