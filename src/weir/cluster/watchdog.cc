#include "weir/cluster/watchdog.h"

#include "weir/base/log.h"

namespace weir::cluster {

Watchdog::Watchdog(WatchdogOptions options, env::Env& env, task::WatchedTasks& tasks)
    : options_(options), env_(env), tasks_(tasks) {}

void Watchdog::start() {
  moved_at_ = env_.clock.now();
  waker_ = &env_.executor.start(*this, env::Placement::own_thread());
}

void Watchdog::stop(std::function<void()> ended) {
  ended_ = std::move(ended);
  stopping_.store(true, std::memory_order_release);
  waker_->wake();
}

env::StepResult Watchdog::step() {
  if (stopping_.load(std::memory_order_acquire)) {
    const auto ended = std::move(ended_);
    ended();  // The Watchdog may be gone now.
    return env::StepResult::done();
  }
  const auto now = env_.clock.now();
  const auto pulse = tasks_.pulse();
  if (pulse.moves != last_moves_ || !pulse.has_work || pulse.is_busy) {
    last_moves_ = pulse.moves;
    moved_at_ = now;
  } else if (now - moved_at_ >= options_.patience) {
    report(tasks_.describe());
    moved_at_ = now;
  }
  return env::StepResult::blocked(now + Duration{options_.patience.ns / 4});
}

void Watchdog::report(const std::vector<std::string>& lines) const {
  for (const auto& line : lines) log::Event(log::Level::kError, "Stuck").field("task", line);
  WEIR_CHECK(!options_.aborts);
}

}  // namespace weir::cluster
