#include "weir/task/operator_chain.h"

#include "tests/support/subtask_rig.h"
#include "weir/base/random.h"

namespace weir::task {
namespace {

using operators::Progress;
using test::CountingSource;
using test::Numbers;
using test::Relay;

// A chain that ends in one channel, which the test empties when it likes.
class ChainRig {
 public:
  ChainRig(std::vector<std::unique_ptr<operators::Operator>> ops, std::uint32_t batch_records)
      : floating_(0, Numbers{}),
        channel_({.batches_per_channel = 1, .floating_batches = 0}, floating_,
                 Numbers({}, batch_records)),
        chain_(links(std::move(ops), batch_records), edges()) {
    channel_.set_producer(waker_);
    channel_.set_consumer(waker_);
  }

  OperatorChain& chain() { return chain_; }
  std::vector<std::uint64_t> receive() {
    std::vector<std::uint64_t> numbers;
    while (auto* element = channel_.front()) {
      auto batch = std::get<stream::BatchPtr>(std::move(*element));
      channel_.pop();
      for (std::uint32_t i = 0; i != batch->size(); ++i)
        numbers.push_back(static_cast<Numbers&>(*batch)[i]);
      channel_.give_back(std::move(batch));
    }
    return numbers;
  }

 private:
  static std::vector<OperatorChain::Link> links(
      std::vector<std::unique_ptr<operators::Operator>> ops, std::uint32_t batch_records) {
    std::vector<OperatorChain::Link> links;
    for (auto& op : ops)
      links.push_back({.op = std::move(op),
                       .name = "op" + std::to_string(links.size()),
                       .output = std::make_unique<operators::Output>(
                           std::make_unique<Numbers>(stream::Columns{}, batch_records), 1 << 20)});
    return links;
  }
  std::vector<std::unique_ptr<exchange::ResultPartition>> edges() {
    std::vector<std::unique_ptr<exchange::ResultPartition>> edges;
    edges.push_back(std::make_unique<exchange::ResultPartition>(std::vector{&channel_}, nullptr));
    return edges;
  }

  test::SubtaskRig::IdleWaker waker_;
  exchange::FloatingBatches floating_;
  exchange::Channel channel_;
  OperatorChain chain_;
};

TEST(OperatorChain, ThroughTinyBatchesAndABlockedOutletEverythingArrivesOnceAndInOrder) {
  Random random(31);
  for (const std::uint32_t records : {1u, 2u, 5u}) {
    ChainRig rig(test::chain_of(std::make_unique<Relay>(), std::make_unique<Relay>(),
                                std::make_unique<Relay>()),
                 records);
    std::vector<std::uint64_t> got;
    const auto receive = [&] {
      const auto more = rig.receive();
      got.insert(got.end(), more.begin(), more.end());
    };
    std::uint64_t next = 0;
    for (int round = 0; round != 50; ++round) {
      Numbers batch({}, 20);
      for (auto n = random.below(20); n != 0; --n) batch.append() = next++;
      stream::BatchCursor cursor(batch);
      while (!cursor.is_done()) {
        const auto progress = rig.chain().process(0, cursor);
        if (progress != Progress::kDone) {
          EXPECT_EQ(progress, Progress::kBlockedOnOutput);
          receive();
        }
      }
    }
    while (rig.chain().drain() != Progress::kDone || !rig.chain().flush(Flush::kAll)) receive();
    receive();
    ASSERT_EQ(got.size(), next);
    for (std::uint64_t i = 0; i != next; ++i) EXPECT_EQ(got[i], i);
  }
}

TEST(OperatorChain, ProcessIsCalledOncePerBatchAndOperatorWhileNothingBlocks) {
  ChainRig rig(test::chain_of(std::make_unique<Relay>(), std::make_unique<Relay>(),
                              std::make_unique<Relay>()),
               8);
  for (std::uint64_t round = 0; round != 10; ++round) {
    Numbers batch({}, 8);
    while (!batch.is_full()) batch.append() = round;
    stream::BatchCursor cursor(batch);
    ASSERT_EQ(rig.chain().process(0, cursor), Progress::kDone);
    EXPECT_EQ(rig.receive(), std::vector<std::uint64_t>(8, round));
  }
  EXPECT_EQ(rig.chain().process_calls(), 30u);
}

TEST(OperatorChain, AnOperatorThatFilledItsOutputIsCalledAgainOnceThatIsEmpty) {
  // The source says that it is blocked after two numbers; nobody would wake the Subtask for that.
  ChainRig rig(test::chain_of(std::make_unique<CountingSource>(100, 50), std::make_unique<Relay>()),
               2);
  std::vector<std::uint64_t> got;
  for (auto progress = Progress::kMore; progress != Progress::kDone;) {
    progress = rig.chain().produce();
    const auto more = rig.receive();
    got.insert(got.end(), more.begin(), more.end());
    if (progress == Progress::kBlockedOnOutput) {
      EXPECT_FALSE(more.empty());
    }
  }
  while (rig.chain().drain() != Progress::kDone || !rig.chain().flush(Flush::kAll)) {
    const auto more = rig.receive();
    got.insert(got.end(), more.begin(), more.end());
  }
  const auto rest = rig.receive();
  got.insert(got.end(), rest.begin(), rest.end());
  ASSERT_EQ(got.size(), 100u);
  for (std::uint64_t i = 0; i != 100; ++i) EXPECT_EQ(got[i], i);
}

TEST(OperatorChain, EachOperatorFinishesAfterTheOneBeforeItAndItsLastRecordsReachTheEnd) {
  auto first = std::make_unique<Relay>();
  auto second = std::make_unique<Relay>();
  auto third = std::make_unique<Relay>();
  first->at_finish = 5;
  second->at_finish = 3;
  auto& seen_last = third->seen;
  auto& log_second = second->log;
  auto& log_third = third->log;
  ChainRig rig(test::chain_of(std::move(first), std::move(second), std::move(third)), 2);
  std::vector<std::uint64_t> got;
  for (auto progress = Progress::kMore; progress != Progress::kDone;) {
    progress = rig.chain().finish();
    EXPECT_NE(progress, Progress::kBlockedOnState);
    const auto more = rig.receive();
    EXPECT_TRUE(progress != Progress::kBlockedOnOutput || !more.empty());
    got.insert(got.end(), more.begin(), more.end());
  }
  EXPECT_TRUE(rig.chain().flush(Flush::kAll));
  const auto rest = rig.receive();
  got.insert(got.end(), rest.begin(), rest.end());
  EXPECT_EQ(got, (std::vector<std::uint64_t>{1004, 1003, 1002, 1001, 1000, 1002, 1001, 1000}));
  EXPECT_EQ(seen_last, got);
  EXPECT_EQ(log_second, std::vector<std::string>{"end of input 0"});
  EXPECT_EQ(log_third, std::vector<std::string>{"end of input 0"});
}

TEST(OperatorChain, SaysWhichOperatorThrew) {
  auto second = std::make_unique<Relay>();
  second->throws_at = 2;
  ChainRig rig(
      test::chain_of(std::make_unique<Relay>(), std::move(second), std::make_unique<Relay>()), 4);
  Numbers batch({}, 4);
  for (std::uint64_t n = 0; n != 4; ++n) batch.append() = n;
  stream::BatchCursor cursor(batch);
  EXPECT_THROW(std::ignore = rig.chain().process(0, cursor), std::runtime_error);
  EXPECT_EQ(rig.chain().blamed(), "operator op1");
}

TEST(OperatorChain, AnOperatorThatWaitsStopsTheOnesBeforeItAndLosesNothing) {
  auto second = std::make_unique<Relay>();
  auto& waits = *second;
  auto first = std::make_unique<Relay>();
  auto& seen_first = first->seen;
  ChainRig rig(test::chain_of(std::move(first), std::move(second)), 2);
  waits.answer = Progress::kBlockedOnState;
  Numbers batch({}, 8);
  for (std::uint64_t n = 0; n != 8; ++n) batch.append() = n;
  stream::BatchCursor cursor(batch);
  EXPECT_EQ(rig.chain().process(0, cursor), Progress::kBlockedOnState);
  EXPECT_EQ(rig.chain().process(0, cursor), Progress::kBlockedOnState);
  EXPECT_EQ(rig.chain().drain(), Progress::kBlockedOnState);
  EXPECT_EQ(seen_first.size(), 2u);
  waits.answer = Progress::kDone;
  while (!cursor.is_done()) {
    std::ignore = rig.chain().process(0, cursor);
    rig.receive();
  }
  while (rig.chain().drain() != Progress::kDone) rig.receive();
  EXPECT_EQ(waits.seen, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace weir::task
