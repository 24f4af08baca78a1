#pragma once

#include <thread>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/base/recycled_queue.h"
#include "weir/env/api/executor.h"

namespace weir::env {

// A fixed number of threads that take pieces of work in the order in which they were submitted.
//
// The queue has no limit of its own: who submits bounds what it has under way (staging bytes, one
// upload per Subtask), and hears of the end by the letter that its work posts.
//
//   Errors  none: work reports by its letter. Work that throws ends the process
//   Thread  any
class PosixIoPool final : public IoPool {
 public:
  // Thread i stays on cpus[i % cpus.size()]; empty leaves the choice to the kernel.
  explicit PosixIoPool(std::uint32_t threads, const std::vector<std::uint32_t>& cpus = {});
  ~PosixIoPool() override;  // stop()

  void submit(Work work) override;
  // Finishes what was submitted, with what that submits in turn, then joins. Nobody else may submit
  // from here on. Not from a piece of work.
  void stop();

 private:
  void run();
  bool next(Work& work);

  Mutex mutex_;
  CondVar changed_;
  RecycledQueue<Work> queue_ WEIR_GUARDED_BY(mutex_);
  std::size_t running_ WEIR_GUARDED_BY(mutex_) = 0;
  bool stopping_ WEIR_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace weir::env
