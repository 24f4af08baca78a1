#pragma once

#include <memory>

#include "weir/base/mutex.h"
#include "weir/base/recycled_queue.h"
#include "weir/env/api/executor.h"

namespace weir::env {

// Blocking work that must run in the order in which it was submitted, one piece at a time, on an
// IoPool. What was submitted runs also when the Strand has gone.
//
//   Thread  any
class Strand {
 public:
  explicit Strand(IoPool& pool) : queue_(std::make_shared<Queue>(pool)) {}

  void submit(Work work);
  // Drops what has not begun. For an owner whose pool is gone: what waits may refer to the owner,
  // and would keep it alive.
  void clear();

 private:
  struct Queue {
    explicit Queue(IoPool& to) : pool(to) {}
    IoPool& pool;
    Mutex mutex;
    RecycledQueue<Work> waiting WEIR_GUARDED_BY(mutex);
    bool is_running WEIR_GUARDED_BY(mutex) = false;
  };
  static void run_next(const std::shared_ptr<Queue>& queue);

  std::shared_ptr<Queue> queue_;
};

}  // namespace weir::env
