#pragma once

#include <deque>

#include "weir/env/api/executor.h"
#include "weir/env/sim/internal/machine.h"

namespace weir::sim {

// Virtual threads that take pieces of work, each on a fiber, in an order that is drawn.
class SimIoPool final : public env::IoPool {
 public:
  SimIoPool(Life& life, Random random);

  void submit(Work work) override;
  // Forgets what has not begun.
  void clear() { queue_.clear(); }

 private:
  void post_next(Instant at);
  void run_one();

  Life& life_;
  Random random_;
  std::uint32_t idle_;  // Threads for whom no event is posted.
  std::deque<Work> queue_;
};

}  // namespace weir::sim
