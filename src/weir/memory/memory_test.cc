#include <atomic>
#include <cstring>
#include <deque>
#include <set>
#include <thread>

#include "weir/base/random.h"
#include "weir/memory/account.h"
#include "weir/memory/block_pool.h"
#include "weir/memory/page_source.h"
#include "weir/memory/staging_pool.h"

namespace weir::memory {
namespace {

TEST(Account, RefusesWhatGoesOverItsLimitAndNamesBoth) {
  Account account("operator sum[1]", "state.heap_bytes_max", 100);
  EXPECT_TRUE(account.charge(60));
  const auto refused = account.charge(41);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kExhausted);
  EXPECT_EQ(refused.error().what,
            "taking memory for operator sum[1]: its limit state.heap_bytes_max of 100 bytes is "
            "reached, in use 60, wanted 41; raise it, or the parallelism of the operator");
  EXPECT_EQ(account.used_bytes(), 60u);
  EXPECT_TRUE(account.charge(40));
  account.release(100);
  EXPECT_EQ(account.used_bytes(), 0u);
}

TEST(Account, CountsWhatHasBeenTakenAlreadyAndSaysThatItIsOver) {
  Account account("x", "limit", 100);
  account.adjust(150);
  EXPECT_TRUE(account.is_over_limit());
  EXPECT_FALSE(account.charge(0));
  account.adjust(-60);
  EXPECT_FALSE(account.is_over_limit());
  EXPECT_EQ(account.used_bytes(), 90u);
}

// Counts what is out, and can run dry.
class CountedPages final : public PageSource {
 public:
  void* take(std::size_t bytes) noexcept override {
    if (out + bytes > bytes_max) return nullptr;
    out += bytes;
    ++pieces_taken;
    return heap.take(bytes);
  }
  void give_back(void* pages, std::size_t bytes) noexcept override {
    out -= bytes;
    heap.give_back(pages, bytes);
  }

  HeapPages heap;
  std::size_t out = 0;
  std::size_t bytes_max = ~std::size_t{0};
  std::size_t pieces_taken = 0;
};

TEST(BlockPool, GivesEveryBlockToOneOwnerAndComesBackToNothing) {
  CountedPages pages;
  Account account("x", "limit", std::uint64_t{1} << 30);
  {
    BlockPool pool(pages, account, 832);
    Random random(1);
    std::set<std::byte*> live;
    for (int step = 0; step != 60'000; ++step) {
      if (live.empty() || random.below(100) < (step < 40'000 ? 60u : 20u)) {
        auto* block = static_cast<std::byte*>(*pool.take());
        std::memset(block, 0x5a, 832);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
        const auto [place, is_first] = live.insert(block);
        ASSERT_TRUE(is_first);
        if (place != live.begin()) {
          ASSERT_GE(block - *std::prev(place), 832);
        }
        if (std::next(place) != live.end()) {
          ASSERT_GE(*std::next(place) - block, 832);
        }
      } else {
        auto place = live.lower_bound(*live.begin() + random.below(1 << 20));
        if (place == live.end()) place = live.begin();
        pool.give_back(*place);
        live.erase(place);
      }
    }
    EXPECT_EQ(account.used_bytes(), pages.out);
    while (!live.empty()) {
      pool.give_back(*live.begin());
      live.erase(live.begin());
    }
    EXPECT_LE(account.used_bytes(), kHugePageBytes);  // The one slab that is kept.
  }
  EXPECT_EQ(account.used_bytes(), 0u);
  EXPECT_EQ(pages.out, 0u);
}

TEST(BlockPool, SaysWhichLimitWasReachedAndGoesOnWhenThereIsRoom) {
  CountedPages pages;
  Account account("operator a[0]", "state.heap_bytes_max", std::size_t{64} << 10);
  BlockPool pool(pages, account, std::size_t{32} << 10);
  void* first = *pool.take();
  ASSERT_TRUE(pool.take());
  const auto refused = pool.take();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("state.heap_bytes_max"), std::string::npos);
  pool.give_back(first);
  EXPECT_EQ(*pool.take(), first);
}

TEST(BlockPool, ReportsAMachineWithoutMemory) {
  CountedPages pages;
  pages.bytes_max = 0;
  Account account("x", "limit", 1 << 20);
  BlockPool pool(pages, account, 64);
  EXPECT_EQ(pool.take().error().code, Code::kExhausted);
  EXPECT_EQ(account.used_bytes(), 0u);
}

class Bell final : public RoomListener {
 public:
  void on_room() noexcept override { ++rung; }
  std::atomic<int> rung{0};  // No partner: a count.
};

// The I/O side, run by hand.
struct ByHand {
  std::deque<std::function<void()>> work;
  StagingPool::Submit submit() {
    return [this](std::function<void()> piece) { work.push_back(std::move(piece)); };
  }
  void run() {
    for (; !work.empty(); work.pop_front()) work.front()();
  }
};

TEST(StagingPool, NeverHoldsMoreThanItsLimitAndTellsWhoWaits) {
  CountedPages pages;
  StagingPool pool({.limit_bytes = 3000, .chunk_bytes = 1000, .spare_chunks = 1}, pages);
  Bell bell;
  std::vector<StagingChunk> chunks;
  for (int i = 0; i != 3; ++i) chunks.push_back(pool.take(bell));
  EXPECT_TRUE(chunks.back());
  EXPECT_FALSE(pool.take(bell));
  EXPECT_FALSE(pool.take(bell));
  EXPECT_EQ(bell.rung, 0);
  chunks.pop_back();
  EXPECT_EQ(bell.rung, 1);
  chunks.pop_back();
  EXPECT_EQ(bell.rung, 1);  // Told once.
  EXPECT_TRUE(pool.take(bell));
  EXPECT_EQ(pool.peak_in_use_bytes(), 3000u);
  EXPECT_EQ(pages.pieces_taken, 3u);  // The rest was recycled.
}

TEST(StagingPool, FreshChunksAreMadeByTheIoSide) {
  CountedPages pages;
  ByHand io;
  StagingPool pool({.limit_bytes = 5000, .chunk_bytes = 1000, .spare_chunks = 2}, pages,
                   io.submit());
  Bell bell;
  EXPECT_FALSE(pool.take(bell));
  EXPECT_EQ(pages.pieces_taken, 0u);
  io.run();
  EXPECT_GE(bell.rung, 1);
  EXPECT_EQ(pages.pieces_taken, 2u);
  std::vector<StagingChunk> chunks;
  while (auto chunk = pool.take(bell)) {
    chunks.push_back(std::move(chunk));
    io.run();
  }
  EXPECT_EQ(chunks.size(), 5u);
  EXPECT_EQ(pool.held_bytes(), 5000u);
}

TEST(StagingPool, PreparesSparesAheadOfTheNeed) {
  HeapPages pages;
  ByHand io;
  StagingPool pool({.limit_bytes = 9000, .chunk_bytes = 1000, .spare_chunks = 4}, pages,
                   io.submit());
  pool.prepare(100);
  pool.prepare(0);
  EXPECT_EQ(io.work.size(), 1u);
  io.run();
  EXPECT_EQ(pool.held_bytes(), 4000u);
  pool.prepare(5500);
  io.run();
  EXPECT_EQ(pool.held_bytes(), 6000u);
  pool.prepare(1'000'000);
  io.run();
  EXPECT_EQ(pool.held_bytes(), 9000u);
  EXPECT_EQ(pool.in_use_bytes(), 0u);
}

TEST(StagingPool, ALargeEntryTakesThePlaceOfSpareChunks) {
  CountedPages pages;
  StagingPool pool({.limit_bytes = 3000, .chunk_bytes = 1000, .spare_chunks = 1}, pages);
  Bell bell;
  {
    auto a = pool.take(bell);
    auto b = pool.take(bell);
    auto c = pool.take(bell);
  }
  {
    auto large = *pool.take_large(2500, bell);
    EXPECT_EQ(large.size(), 2500u);
    EXPECT_LE(pages.out, 3000u);
    EXPECT_FALSE(*pool.take_large(2500, bell));
    EXPECT_FALSE(pool.take(bell));
  }
  EXPECT_EQ(bell.rung, 1);
  EXPECT_EQ(pool.in_use_bytes(), 0u);
  const auto refused = pool.take_large(3001, bell);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("checkpoint.staging_bytes_max is 3000"), std::string::npos);
}

TEST(StagingPool, WhoCanWaitLeavesHalfToTheOthers) {
  HeapPages pages;
  StagingPool pool({.limit_bytes = 4000, .chunk_bytes = 1000, .spare_chunks = 0}, pages);
  Bell bell;
  const auto can_wait = StagingPool::Urgency::kCanWait;
  auto a = pool.take(bell, can_wait);
  auto b = pool.take(bell, can_wait);
  ASSERT_TRUE(b);
  EXPECT_FALSE(pool.take(bell, can_wait));
  EXPECT_TRUE(pool.take(bell));
  b = {};
  EXPECT_EQ(bell.rung, 1);
  EXPECT_TRUE(pool.take(bell, can_wait));
}

TEST(StagingPool, WhoCanWaitAddsNothingToWhatKeepsTheIoSideBusy) {
  HeapPages pages;
  StagingPool pool({.limit_bytes = 16000, .chunk_bytes = 1000, .spare_chunks = 0, .busy_chunks = 2},
                   pages);
  Bell bell;
  const auto can_wait = StagingPool::Urgency::kCanWait;
  auto a = pool.take(bell, can_wait);
  auto b = pool.take(bell, can_wait);
  auto c = pool.take(bell, can_wait);  // Nothing is sent yet.
  EXPECT_TRUE(a && b && c);
  a.send();
  b.send();
  EXPECT_FALSE(pool.take(bell, can_wait));
  auto urgent = pool.take(bell);
  EXPECT_TRUE(urgent);
  a = {};
  EXPECT_EQ(bell.rung, 1);
  EXPECT_TRUE(pool.take(bell, can_wait));
}

TEST(StagingPool, KnowsWhetherAnythingWillComeBack) {
  HeapPages pages;
  StagingPool pool({.limit_bytes = 2000, .chunk_bytes = 1000, .spare_chunks = 0}, pages);
  Bell bell;
  auto chunk = pool.take(bell);
  EXPECT_FALSE(pool.awaits_any());
  chunk.send();
  auto moved = std::move(chunk);
  EXPECT_TRUE(pool.awaits_any());
  moved = {};
  EXPECT_FALSE(pool.awaits_any());
}

// Chunks go from many fillers to one I/O thread and back; for TSan above all.
TEST(StagingPool, IsUsedFromManyThreads) {
  HeapPages pages;
  StagingPool pool({.limit_bytes = 8000, .chunk_bytes = 1000, .spare_chunks = 1}, pages);
  Mutex mutex;
  std::vector<StagingChunk> sent;
  std::atomic<int> filling{3};  // No partner: only says when to stop.
  std::vector<std::thread> threads;
  for (int filler = 0; filler != 3; ++filler) {
    threads.emplace_back([&, filler] {
      Bell bell;
      for (int n = 0; n != 2'000;) {
        auto chunk = pool.take(
            bell, filler == 0 ? StagingPool::Urgency::kCanWait : StagingPool::Urgency::kUrgent);
        if (!chunk) {
          std::this_thread::yield();
          continue;
        }
        std::memset(chunk.data(), n, chunk.size());
        chunk.send();
        MutexLock lock(mutex);
        sent.push_back(std::move(chunk));
        ++n;
      }
      pool.forget(bell);
      --filling;
    });
  }
  int seen = 0;
  while (filling != 0 || seen != 6'000) {
    std::vector<StagingChunk> taken;
    {
      MutexLock lock(mutex);
      taken.swap(sent);
    }
    for (const auto& chunk : taken) EXPECT_EQ(chunk.data()[0], chunk.data()[999]);
    seen += static_cast<int>(taken.size());
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(pool.in_use_bytes(), 0u);
  EXPECT_FALSE(pool.awaits_any());
  EXPECT_LE(pool.held_bytes(), 8000u);
}

TEST(StagingPool, AForgottenListenerIsNotCalled) {
  HeapPages pages;
  StagingPool pool({.limit_bytes = 1000, .chunk_bytes = 1000, .spare_chunks = 0}, pages);
  Bell bell;
  {
    auto chunk = pool.take(bell);
    EXPECT_FALSE(pool.take(bell));
    pool.forget(bell);
  }
  EXPECT_EQ(bell.rung, 0);
}

}  // namespace
}  // namespace weir::memory
