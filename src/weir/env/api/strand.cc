#include "weir/env/api/strand.h"

namespace weir::env {

void Strand::submit(Work work) {
  {
    MutexLock lock(queue_->mutex);
    queue_->waiting.push(std::move(work));
    if (queue_->is_running) return;
    queue_->is_running = true;
  }
  queue_->pool.submit([queue = queue_] { run_next(queue); });
}

void Strand::clear() {
  RecycledQueue<Work> dropped;  // Destroyed after the lock.
  MutexLock lock(queue_->mutex);
  dropped.swap(queue_->waiting);
}

// One piece, then back to the end of the pool's own queue: a busy strand starves nobody.
void Strand::run_next(const std::shared_ptr<Queue>& queue) {
  Work work;
  {
    MutexLock lock(queue->mutex);
    if (queue->waiting.is_empty()) {  // Cleared meanwhile.
      queue->is_running = false;
      return;
    }
    work = queue->waiting.pop();
  }
  work();
  work = nullptr;  // What it holds goes before anybody can learn that the next one runs.
  {
    MutexLock lock(queue->mutex);
    queue->is_running = !queue->waiting.is_empty();
    if (!queue->is_running) return;
  }
  queue->pool.submit([queue] { run_next(queue); });
}

}  // namespace weir::env
