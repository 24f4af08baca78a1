// What an executor thread adds to a step: four Runnables that are always ready, and two that wake
// each other on one thread and across two.

#include <atomic>
#include <cstdio>

#include "weir/env/posix/posix_executor.h"

namespace weir::env {
namespace {

constexpr std::uint64_t kSteps = 5'000'000;

void await(std::atomic<std::uint32_t>& done, std::uint32_t n) {
  for (auto seen = done.load(); seen < n; seen = done.load()) done.wait(seen);
}

void print(const char* what, Instant start, std::uint64_t steps) {
  const auto span = PosixClock().now() - start;
  std::printf("%-36s %8.1f ns\n", what, static_cast<double>(span.ns) / static_cast<double>(steps));
}

class Busy final : public Runnable {
 public:
  explicit Busy(std::atomic<std::uint32_t>& done) : done_(done) {}
  StepResult step() override {
    if (++steps_ != kSteps) return StepResult::ready();
    done_.fetch_add(1);
    done_.notify_all();
    return StepResult::done();
  }
  std::string name() const override { return "busy"; }

 private:
  std::atomic<std::uint32_t>& done_;
  std::uint64_t steps_ = 0;
};

class PingPong final : public Runnable {
 public:
  PingPong(std::atomic<std::uint32_t>& done, std::uint64_t steps) : done_(done), left_(steps) {}
  std::atomic<Waker*> other{nullptr};
  StepResult step() override {
    Waker* waker = other.load();
    if (!waker) return StepResult::ready();
    waker->wake();
    if (left_-- != 0) return StepResult::blocked();
    done_.fetch_add(1);
    done_.notify_all();
    return StepResult::done();
  }
  std::string name() const override { return "ping-pong"; }

 private:
  std::atomic<std::uint32_t>& done_;
  std::uint64_t left_;
};

void bench_always_ready() {
  std::atomic<std::uint32_t> done{0};
  std::vector<std::unique_ptr<Busy>> runnables;
  for (int i = 0; i != 4; ++i) runnables.push_back(std::make_unique<Busy>(done));
  PosixExecutorOptions options;
  options.threads = 1;
  PosixExecutor executor(options);
  const Instant start = PosixClock().now();
  for (auto& runnable : runnables) executor.start(*runnable, Placement::shared(0));
  await(done, 4);
  print("step, 4 always ready", start, 4 * kSteps);
}

void bench_ping_pong(const char* what, std::uint32_t threads, std::uint64_t steps) {
  std::atomic<std::uint32_t> done{0};
  PingPong one(done, steps);
  PingPong two(done, steps);
  PosixExecutorOptions options;
  options.threads = threads;
  PosixExecutor executor(options);
  Waker& first = executor.start(one, Placement::shared(0));
  Waker& second = executor.start(two, Placement::shared(threads - 1));
  const Instant start = PosixClock().now();
  one.other = &second;
  two.other = &first;
  // Whoever ends first wakes the other no more: it is woken here until it has ended too.
  await(done, 1);
  print(what, start, 2 * steps);
  while (done.load() != 2) {
    first.wake();
    second.wake();
  }
}

}  // namespace
}  // namespace weir::env

int main() {
  weir::env::bench_always_ready();
  weir::env::bench_ping_pong("wake and step, same thread", 1, 2'000'000);
  weir::env::bench_ping_pong("wake and step, two threads", 2, 1'000'000);
}
