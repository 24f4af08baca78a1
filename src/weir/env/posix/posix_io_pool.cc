#include "weir/env/posix/posix_io_pool.h"

#include <pthread.h>

#include <string>

#include "weir/base/check.h"
#include "weir/env/posix/host.h"
#include "weir/env/posix/internal/last_words.h"

namespace weir::env {

PosixIoPool::PosixIoPool(std::uint32_t threads, const std::vector<std::uint32_t>& cpus) {
  WEIR_CHECK(threads > 0);
  threads_.reserve(threads);
  try {
    for (std::uint32_t i = 0; i != threads; ++i) {
      threads_.emplace_back([this, i, cpus] {
        const auto name = "weir-io-" + std::to_string(i);
        pthread_setname_np(pthread_self(), name.c_str());
        if (!cpus.empty()) pin_this_thread({cpus[i % cpus.size()]});
        unless_without_memory(name, [this] { run(); });
      });
    }
  } catch (...) {
    stop();
    throw;
  }
}

PosixIoPool::~PosixIoPool() { stop(); }

void PosixIoPool::submit(Work work) {
  MutexLock lock(mutex_);
  WEIR_CHECK(!stopping_ || running_ != 0);  // Only a piece of work may still submit.
  queue_.push(std::move(work));
  changed_.notify_one();
}

void PosixIoPool::stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void PosixIoPool::run() {
  Work work;
  while (next(work)) {
    work();
    work = nullptr;  // What it holds may be what somebody waits for the end of.
    MutexLock lock(mutex_);
    --running_;
    if (stopping_) changed_.notify_all();
  }
}

// Waits for work; false once there is none and none can come.
bool PosixIoPool::next(Work& work) {
  MutexLock lock(mutex_);
  while (queue_.is_empty()) {
    if (stopping_ && running_ == 0) return false;
    changed_.wait(mutex_);
  }
  work = queue_.pop();
  ++running_;
  return true;
}

}  // namespace weir::env
