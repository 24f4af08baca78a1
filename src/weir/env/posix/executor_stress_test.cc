// Many Runnables on few threads hand tokens to each other, block at random, and are woken by each
// other, by threads of nobody and by timers. A lost wake-up is a token that never arrives, which
// the test would wait for; memory that is not ordered is what the tsan preset sees.

#include <gtest/gtest.h>

#include <thread>

#include "weir/base/random.h"
#include "weir/env/api/mailbox.h"
#include "weir/env/posix/posix_executor.h"
#include "weir/env/posix/posix_io_pool.h"

namespace weir::env {
namespace {

// What all runnables of a run share.
struct Ring {
  std::atomic<std::uint64_t> moves{0};
  std::atomic<bool> closing{false};
  std::atomic<std::uint32_t> done{0};
};

// One place in a ring: takes tokens from its inbox and puts them into the next one's.
//
// `plain_` is not atomic: only the handing over of tokens orders who touches it, so a missing
// acquire or release is a race that tsan reports.
class Place final : public Runnable {
 public:
  Place(Ring& ring, const PosixClock& clock, std::uint64_t seed)
      : ring_(ring), clock_(clock), random_(seed) {}

  void connect(Place& next, Waker& own) {
    next_ = &next;
    waker_.store(&own, std::memory_order_release);
  }
  void receive(std::uint32_t tokens) {
    inbox_.fetch_add(tokens, std::memory_order_acq_rel);  // Partner: step()'s exchange.
    if (Waker* waker = waker_.load(std::memory_order_acquire)) waker->wake();
  }
  std::uint32_t held() const { return held_ + inbox_.load(); }
  Waker& waker() { return *waker_.load(); }

  StepResult step() override {
    if (!waker_.load(std::memory_order_acquire)) return StepResult::ready();
    ++steps_;
    if (ring_.closing.load(std::memory_order_acquire)) {
      ring_.done.fetch_add(1);
      ring_.done.notify_all();
      return StepResult::done();
    }
    held_ += inbox_.exchange(0, std::memory_order_acq_rel);
    if (held_ == 0) return StepResult::blocked();
    // Now and then it sleeps on what it has, and only a timer brings it back.
    if (random_.one_in(64))
      return StepResult::blocked(clock_.now() + Duration::micros(random_.between(0, 300)));
    const auto passed = static_cast<std::uint32_t>(1 + random_.below(held_));
    held_ -= passed;
    ring_.moves.fetch_add(passed, std::memory_order_relaxed);
    next_->receive(passed);
    if (held_ != 0) return StepResult::ready();
    return StepResult::blocked();
  }
  std::string name() const override { return "place"; }

 private:
  Ring& ring_;
  const PosixClock& clock_;
  std::atomic<std::uint32_t> inbox_{0};
  std::atomic<Waker*> waker_{nullptr};  // Partner of connect's release: the acquires above.
  Place* next_ = nullptr;
  // Its executor thread only.
  Random random_;
  std::uint32_t held_ = 0;
  std::uint64_t steps_ = 0;
};

void run_ring(std::uint64_t seed, Duration poll, std::uint32_t own_threads) {
  constexpr std::uint32_t kPlaces = 12;
  constexpr std::uint32_t kTokens = 5;
  constexpr std::uint64_t kMoves = 20'000;
  const PosixClock clock;
  Ring ring;
  std::vector<std::unique_ptr<Place>> places;
  for (std::uint32_t i = 0; i != kPlaces; ++i)
    places.push_back(std::make_unique<Place>(ring, clock, seed * 1000 + i));

  PosixExecutor::Options options;
  options.threads = 2;
  options.cores = 2;
  options.poll = poll;
  PosixExecutor executor(options);
  std::vector<Waker*> wakers;
  for (std::uint32_t i = 0; i != kPlaces; ++i)
    wakers.push_back(&executor.start(
        *places[i], i < own_threads ? Placement::own_thread() : Placement::shared(i % 2)));
  for (std::uint32_t i = 0; i != kPlaces; ++i)
    places[i]->connect(*places[(i + 1) % kPlaces], *wakers[i]);

  // From outside: tokens come in one by one, with wake-ups that mean nothing between them.
  std::thread stranger([&] {
    Random random(seed);
    for (std::uint32_t i = 0; i != kTokens; ++i) {
      for (int n = 0; n != 20; ++n) places[random.below(kPlaces)]->waker().wake();
      places[random.below(kPlaces)]->receive(1);
    }
  });
  stranger.join();
  while (ring.moves.load(std::memory_order_relaxed) < kMoves) std::this_thread::yield();

  ring.closing.store(true, std::memory_order_release);
  for (auto& place : places) place->waker().wake();
  for (auto done = ring.done.load(); done != kPlaces; done = ring.done.load()) ring.done.wait(done);
  executor.stop();
  std::uint32_t tokens = 0;
  for (auto& place : places) tokens += place->held();
  EXPECT_EQ(tokens, kTokens);
}

TEST(ExecutorStress, NoTokenIsLostWhilePolling) { run_ring(1, Duration::micros(50), 0); }
TEST(ExecutorStress, NoTokenIsLostWhenEveryIdleThreadSleeps) { run_ring(2, Duration{0}, 0); }
TEST(ExecutorStress, NoTokenIsLostBesideOwnThreads) { run_ring(3, Duration::micros(50), 3); }

// Takes a letter, lets the pool work on it, and takes the outcome as a letter.
class Clerk final : public Runnable {
 public:
  Clerk(PosixIoPool& pool, std::uint32_t rounds, std::atomic<std::uint32_t>& done)
      : pool_(pool), rounds_(rounds), done_(done) {}
  Mailbox<std::uint32_t>& mailbox() { return mailbox_; }

  StepResult step() override {
    for (const auto letter : mailbox_.take()) {
      EXPECT_EQ(letter, next_);
      if (next_++ == rounds_) {
        done_.fetch_add(1);
        done_.notify_all();
        return StepResult::done();
      }
      pool_.submit([this, answer = next_] { mailbox_.post(answer); });
    }
    return StepResult::blocked();
  }
  std::string name() const override { return "clerk"; }

 private:
  PosixIoPool& pool_;
  const std::uint32_t rounds_;
  std::atomic<std::uint32_t>& done_;
  Mailbox<std::uint32_t> mailbox_;
  std::uint32_t next_ = 0;
};

TEST(ExecutorStress, EveryOutcomeOfThePoolArrives) {
  constexpr std::uint32_t kClerks = 8;
  std::atomic<std::uint32_t> done{0};
  PosixIoPool pool(2);
  std::vector<std::unique_ptr<Clerk>> clerks;
  PosixExecutor::Options options;
  options.threads = 2;
  PosixExecutor executor(options);
  for (std::uint32_t i = 0; i != kClerks; ++i) {
    clerks.push_back(std::make_unique<Clerk>(pool, 500, done));
    clerks.back()->mailbox().wake_with(executor.start(*clerks.back(), Placement::shared(i % 2)));
    clerks.back()->mailbox().post(0);
  }
  for (auto n = done.load(); n != kClerks; n = done.load()) done.wait(n);
  pool.stop();
  executor.stop();
}

TEST(ExecutorStress, RunnablesComeAndGoFromManyThreads) {
  struct Brief final : Runnable {
    explicit Brief(std::atomic<std::uint32_t>& ended) : done(ended) {}
    StepResult step() override {
      if (++steps < 3) return StepResult::ready();
      done.fetch_add(1);
      return StepResult::done();
    }
    std::string name() const override { return "brief"; }
    std::atomic<std::uint32_t>& done;
    int steps = 0;
  };
  constexpr std::uint32_t kEach = 300;
  constexpr std::uint32_t kStarters = 3;
  std::atomic<std::uint32_t> done{0};
  std::vector<std::unique_ptr<Brief>> briefs;
  for (std::uint32_t i = 0; i != kStarters * kEach; ++i)
    briefs.push_back(std::make_unique<Brief>(done));
  PosixExecutor::Options options;
  options.threads = 2;
  PosixExecutor executor(options);
  std::vector<std::thread> starters;
  for (std::uint32_t starter = 0; starter != kStarters; ++starter)
    starters.emplace_back([&, first = starter * kEach] {
      for (std::uint32_t i = 0; i != kEach; ++i)
        executor.start(*briefs[first + i],
                       i % 50 == 0 ? Placement::own_thread() : Placement::shared(i % 2));
    });
  for (auto& starter : starters) starter.join();
  while (done.load() != kStarters * kEach) std::this_thread::yield();
}

}  // namespace
}  // namespace weir::env
