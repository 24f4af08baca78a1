#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/env/api/executor.h"

namespace weir::env {

// Letters from anywhere to one owner, who is woken by them. Looking into an empty mailbox takes no
// lock.
//
//   Thread  post() and the Waker's setter from any thread; take() by the owner only
template <class Letter>
class Mailbox {
 public:
  // Whom to wake; letters posted before are kept and waited for.
  void wake_with(Waker& waker) {
    waker_.store(&waker, std::memory_order_release);
    waker.wake();
  }

  void post(Letter letter) {
    {
      MutexLock lock(mutex_);
      letters_.push_back(std::move(letter));
      has_letters_.store(true, std::memory_order_release);  // Partner: take().
    }
    if (Waker* waker = waker_.load(std::memory_order_acquire)) waker->wake();
  }

  bool is_empty() const { return !has_letters_.load(std::memory_order_acquire); }

  // All letters, oldest first.
  std::vector<Letter> take() {
    if (is_empty()) return {};
    MutexLock lock(mutex_);
    has_letters_.store(false, std::memory_order_relaxed);
    return std::exchange(letters_, {});
  }

 private:
  Mutex mutex_;
  std::vector<Letter> letters_ WEIR_GUARDED_BY(mutex_);
  std::atomic<bool> has_letters_{false};
  std::atomic<Waker*> waker_{nullptr};  // Partner of wake_with's release: post()'s acquire.
};

}  // namespace weir::env
