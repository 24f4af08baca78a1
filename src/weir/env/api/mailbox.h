#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/base/recycled_queue.h"
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
    {
      MutexLock lock(mutex_);
      waker_ = &waker;
    }
    waker.wake();
  }

  void post(Letter letter) {
    Waker* waker = nullptr;
    {
      MutexLock lock(mutex_);
      letters_.push(std::move(letter));
      waker = waker_;                                       // It outlives the mailbox.
      has_letters_.store(true, std::memory_order_release);  // Partner: is_empty().
    }
    if (waker) waker->wake();
  }

  bool is_empty() const { return !has_letters_.load(std::memory_order_acquire); }

  // Puts all letters, oldest first, behind what `into` holds.
  void take(RecycledQueue<Letter>& into) {
    if (is_empty()) return;
    MutexLock lock(mutex_);
    has_letters_.store(false, std::memory_order_relaxed);
    if (into.is_empty()) return letters_.swap(into);
    while (!letters_.is_empty()) into.push(letters_.pop());
  }
  // The same as a list, for tests.
  std::vector<Letter> take() {
    RecycledQueue<Letter> letters;
    take(letters);
    std::vector<Letter> list;
    while (!letters.is_empty()) list.push_back(letters.pop());
    return list;
  }

 private:
  Mutex mutex_;
  RecycledQueue<Letter> letters_ WEIR_GUARDED_BY(mutex_);
  std::atomic<bool> has_letters_{false};
  Waker* waker_ WEIR_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace weir::env
