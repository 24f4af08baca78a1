#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

// Clang's thread-safety analysis; nothing elsewhere.
#if defined(__clang__)
#define WEIR_ATTRIBUTE_(x) __attribute__((x))
#else
#define WEIR_ATTRIBUTE_(x)
#endif
#define WEIR_CAPABILITY(name) WEIR_ATTRIBUTE_(capability(name))
#define WEIR_SCOPED_CAPABILITY WEIR_ATTRIBUTE_(scoped_lockable)
#define WEIR_GUARDED_BY(mutex) WEIR_ATTRIBUTE_(guarded_by(mutex))
#define WEIR_REQUIRES(...) WEIR_ATTRIBUTE_(requires_capability(__VA_ARGS__))
#define WEIR_ACQUIRE(...) WEIR_ATTRIBUTE_(acquire_capability(__VA_ARGS__))
#define WEIR_RELEASE(...) WEIR_ATTRIBUTE_(release_capability(__VA_ARGS__))
#define WEIR_EXCLUDES(...) WEIR_ATTRIBUTE_(locks_excluded(__VA_ARGS__))

namespace weir {

// A mutex that the lint build can reason about and that counts how often it was taken, so that a
// test can say that a path takes none.
class WEIR_CAPABILITY("mutex") Mutex {
 public:
  void lock() WEIR_ACQUIRE() {
    ++taken_;
    mutex_.lock();
  }
  void unlock() WEIR_RELEASE() { mutex_.unlock(); }

  // How often this thread has taken any Mutex.
  static std::uint64_t times_taken() { return taken_; }

 private:
  friend class CondVar;
  static inline thread_local std::uint64_t taken_ = 0;
  std::mutex mutex_;
};

class WEIR_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) WEIR_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() WEIR_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits for a condition that a Mutex guards.
class CondVar {
 public:
  void wait(Mutex& mutex) WEIR_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace weir
