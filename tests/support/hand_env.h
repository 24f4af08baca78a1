#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/memory_files.h"
#include "weir/env/api/env.h"

namespace weir::test {

class HandClock final : public env::Clock {
 public:
  Instant now() const override { return now_; }
  WallTime wall() const override { return {now_.ns / 1'000'000}; }
  void advance(Duration by) { now_ = now_ + by; }

 private:
  Instant now_{};
};

// Keeps what was submitted until somebody runs it.
class HandIoPool final : public env::IoPool {
 public:
  void submit(Work work) override { waiting_.push_back(std::move(work)); }
  std::size_t waiting() const { return waiting_.size(); }
  void run_one() {
    auto work = std::move(waiting_.front());
    waiting_.pop_front();
    work();
  }
  // What runs may submit more.
  void run_all() {
    while (!waiting_.empty()) run_one();
  }

 private:
  std::deque<Work> waiting_;
};

// Steps its Runnables when it is told to, as the real one would: a blocked one only after its Waker
// was called or its time has come.
class HandExecutor final : public env::Executor {
 public:
  explicit HandExecutor(const HandClock& clock) : clock_(clock) {}

  std::uint32_t thread_count() const override { return 2; }
  env::Waker& start(env::Runnable& runnable, env::Placement) override {
    seats_.push_back(std::make_unique<Seat>(runnable));
    return *seats_.back();
  }

  // Steps every Runnable that is ready, once; whether there was one.
  bool step_each() {
    bool moved = false;
    for (std::size_t i = 0; i != seats_.size(); ++i) moved = step(*seats_[i]) || moved;
    return moved;
  }
  // Until all are blocked or done. False where they are not after so many rounds.
  bool run(int rounds_max = 100'000) {
    for (int round = 0; round != rounds_max; ++round)
      if (!step_each()) return true;
    return false;
  }
  // Whether that one has returned kDone.
  bool is_done(const env::Runnable& runnable) const {
    for (const auto& seat : seats_)
      if (&seat->runnable == &runnable) return seat->is_done;
    return false;
  }

 private:
  struct Seat final : env::Waker {
    explicit Seat(env::Runnable& of) : runnable(of) {}
    void became_ready() override {}
    using Waker::is_ready;
    using Waker::take;

    env::Runnable& runnable;
    bool is_done = false;
    bool has_more = false;
    Instant wake_at = Instant::never();
  };

  bool step(Seat& seat) {
    if (seat.is_done) return false;
    const bool is_due = seat.wake_at <= clock_.now();
    if (!seat.is_ready() && !seat.has_more && !is_due) return false;
    seat.take();
    const auto result = seat.runnable.step();
    seat.is_done = result.kind == env::StepResult::Kind::kDone;
    seat.has_more = result.kind == env::StepResult::Kind::kReady;
    seat.wake_at = result.wake_at;
    return true;
  }

  const HandClock& clock_;
  std::vector<std::unique_ptr<Seat>> seats_;
};

class CountingEntropy final : public env::Entropy {
 public:
  std::uint64_t bits() override { return ++count_; }

 private:
  std::uint64_t count_ = 0;
};

class SilentConsole final : public env::Console {
 public:
  Status write(std::string_view) override { return ok(); }
};

// An Env in which nothing happens by itself, with an executor: for whole engines. StepEnv is the
// smaller one.
struct HandEnv {
  HandClock clock;
  CountingEntropy entropy;
  MemoryFiles files;
  HandExecutor executor{clock};
  HandIoPool io;
  SilentConsole console;
  env::Env env{clock, entropy, files, executor, io, console};

  // Steps and I/O until nothing is left but waiting.
  void run() {
    do {
      io.run_all();
    } while (executor.step_each() || io.waiting() != 0);
  }
};

}  // namespace weir::test
