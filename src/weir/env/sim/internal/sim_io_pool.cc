#include "weir/env/sim/internal/sim_io_pool.h"

#include <memory>
#include <utility>

namespace weir::sim {

SimIoPool::SimIoPool(Life& life, Random random)
    : life_(life), random_(random), idle_(life.machine.options.io_threads) {}

void SimIoPool::submit(Work work) {
  if (life_.is_cut) return;
  life_.machine.trace.record("submit", "", queue_.size());
  queue_.push_back(std::move(work));
  if (idle_ == 0) return;
  --idle_;
  post_next(life_.machine.loop.now() + draw(life_.machine.options.wake_delay, random_));
}

void SimIoPool::post_next(Instant at) {
  life_.machine.loop.post(life_.id, at, [this] { run_one(); });
}

void SimIoPool::run_one() {
  if (queue_.empty()) {
    ++idle_;
    return;
  }
  const auto chosen = queue_.begin() + static_cast<std::ptrdiff_t>(random_.below(queue_.size()));
  const auto work = std::make_shared<Work>(std::move(*chosen));
  queue_.erase(chosen);
  life_.machine.trace.record("work", "", queue_.size());
  life_.machine.loop.run_on_fiber(
      life_.id, [work] { (*work)(); },
      [this] {
        const Duration cost =
            draw(life_.machine.options.step_cost, random_) + life_.machine.loop.take_debt();
        if (!life_.is_cut) post_next(life_.machine.loop.now() + cost);
      });
}

}  // namespace weir::sim
