#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "weir/base/time.h"
#include "weir/base/work.h"

namespace weir::env {

// What one step of a Runnable came to.
struct StepResult {
  enum class Kind : unsigned char {
    kReady,    // there is more to do at once
    kBlocked,  // nothing to do until its Waker is called or wake_at has come
    kDone,     // never step it again
  };
  Kind kind = Kind::kReady;
  Instant wake_at = Instant::never();  // with kBlocked only

  static constexpr StepResult ready() { return {Kind::kReady}; }
  static constexpr StepResult blocked(Instant wake_at = Instant::never()) {
    return {Kind::kBlocked, wake_at};
  }
  static constexpr StepResult done() { return {Kind::kDone}; }
};

// Something that an Executor runs a step at a time: a Subtask, a JobMaster.
//
//   Thread  step() is called from one thread at a time, always the same one; a step is short (some
//           milliseconds at most) unless it was started with Placement::own_thread()
class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual StepResult step() = 0;
  // For logs and the watchdog: "sum[1]". Any thread.
  virtual std::string name() const = 0;
};

// Calls a blocked Runnable back. Waking one that is not blocked costs one atomic exchange, no lock.
//
// No wake-up is lost: who publishes work and then calls wake() is seen by the step that is running,
// or causes one more.
//
//   Thread  any
class Waker {
 public:
  virtual ~Waker() = default;

  void wake() {
    // Partner: take(). Both are read-modify-writes of one word, so either the step that follows
    // take() sees what was published before wake(), or wake() finds false and causes another step.
    // Sequentially consistent for an Executor that parks: it says "I sleep" and then asks
    // is_ready(); became_ready() comes after this store and then asks "does it sleep?".
    if (!ready_.exchange(true, std::memory_order_seq_cst)) became_ready();
  }

 protected:
  // By the Executor before each step: from here on a wake() counts for the next one.
  bool take() { return ready_.exchange(false, std::memory_order_acq_rel); }
  bool is_ready() const { return ready_.load(std::memory_order_seq_cst); }

 private:
  virtual void became_ready() = 0;

  std::atomic<bool> ready_{true};
};

// Where a Runnable is to run.
struct Placement {
  // One of the executor's threads, 0 .. thread_count()-1, shared with others; or a thread of its
  // own.
  static constexpr Placement shared(std::uint32_t thread) { return {thread, false}; }
  static constexpr Placement own_thread() { return {0, true}; }

  std::uint32_t thread = 0;
  bool is_own = false;
};

// Runs Runnables: each is stepped while it is ready and left alone while it is blocked.
//
//   Thread  start() from any thread. An Executor never holds a lock while it runs a step
class Executor {
 public:
  virtual ~Executor() = default;

  virtual std::uint32_t thread_count() const = 0;
  // Begins to step `runnable`, which must live until a step has returned kDone. The Waker lives as
  // long as the Executor.
  virtual Waker& start(Runnable& runnable, Placement placement) = 0;
};

// Runs blocking work apart from everything that must not wait. Pieces of work run in any order and
// side by side; the outcome comes back as a letter that the work itself posts.
//
//   Thread  any
class IoPool {
 public:
  virtual ~IoPool() = default;
  virtual void submit(Work work) = 0;
};

}  // namespace weir::env
