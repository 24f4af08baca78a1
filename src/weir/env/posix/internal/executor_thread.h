#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/env/api/executor.h"
#include "weir/env/posix/internal/parking_spot.h"
#include "weir/env/posix/posix_clock.h"

namespace weir::env {

class ExecutorThread;

// A Runnable as its thread knows it, and the Waker that the world has of it. Outlives the Runnable.
class ExecutorTask final : public Waker {
 public:
  // Without a thread the Runnable is never stepped.
  ExecutorTask(Runnable& runnable, std::string name, ExecutorThread* thread);

 private:
  friend class ExecutorThread;
  void became_ready() override;

  ExecutorThread* const thread_;
  const std::string name_;  // The Runnable may be gone when its long step is logged.

  // The thread only.
  Runnable* runnable_;
  bool again_ = false;  // Its last step returned kReady.
  Instant wake_at_ = Instant::never();
};

// One thread of a PosixExecutor.
//
//   Thread  add, unpark, request_stop, has_ended, sleeps: any; join: whoever stops the executor
class ExecutorThread {
 public:
  struct Settings {
    std::string name;                 // For the kernel: at most 15 letters.
    std::vector<std::uint32_t> cpus;  // Empty: anywhere.
    Duration poll;
    Duration step_warning;
    std::uint32_t own_threads_to_poll;  // Polls while no more own threads than these are running.
    bool is_own = false;                // Ends when its Runnable is done.
  };

  ExecutorThread(const PosixClock& clock, Settings settings,
                 std::atomic<std::uint32_t>& own_running);

  void add(ExecutorTask& task);
  void unpark() { spot_.unpark(); }
  void request_stop();
  bool has_ended() const { return ended_.load(std::memory_order_acquire); }
  // How often it went to sleep.
  std::uint64_t sleeps() const { return sleeps_.load(std::memory_order_acquire); }
  void join();

 private:
  void run();
  void settle();
  bool attend();
  bool step_ready_ones();
  bool step(ExecutorTask& task);
  bool poll();
  void park();
  bool has_work() const;

  // Fixed at construction.
  const PosixClock& clock_;
  const Settings settings_;
  std::atomic<std::uint32_t>& own_running_;

  // The thread only.
  std::vector<ExecutorTask*> tasks_;
  Instant nearest_ = Instant::never();  // The earliest wake_at of a blocked task.
  Instant coarse_{};                    // When the last step ended, by the coarse clock.
  bool has_had_tasks_ = false;

  // Whoever has something new: arrivals_ or is_stopping_ first, then attention_ (partner:
  // attend()).
  std::atomic<bool> attention_{false};
  Mutex mutex_;
  std::vector<ExecutorTask*> arrivals_ WEIR_GUARDED_BY(mutex_);
  bool is_stopping_ WEIR_GUARDED_BY(mutex_) = false;

  ParkingSpot spot_;
  std::atomic<std::uint64_t> sleeps_{0};  // Partner of sleeps(): park().
  std::atomic<bool> ended_{false};        // Partner of has_ended(): the last act of run().
  std::thread thread_;
};

}  // namespace weir::env
