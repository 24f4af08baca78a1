#include "weir/env/posix/internal/executor_thread.h"
#include "weir/env/posix/host.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#include "weir/base/log.h"
#include "weir/env/posix/internal/last_words.h"

namespace weir::env {
namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ExecutorTask::ExecutorTask(Runnable& runnable, std::string name, ExecutorThread* thread)
    : thread_(thread), name_(std::move(name)), runnable_(&runnable) {}

void ExecutorTask::became_ready() {
  if (thread_) thread_->unpark();
}

ExecutorThread::ExecutorThread(const PosixClock& clock, Settings settings,
                               std::atomic<std::uint32_t>& own_running)
    : clock_(clock), settings_(std::move(settings)), own_running_(own_running) {
  thread_ = std::thread([this] { unless_without_memory(settings_.name, [this] { run(); }); });
}

void ExecutorThread::add(ExecutorTask& task) {
  {
    MutexLock lock(mutex_);
    arrivals_.push_back(&task);
  }
  attention_.store(true, std::memory_order_seq_cst);
  unpark();
}

void ExecutorThread::request_stop() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  attention_.store(true, std::memory_order_seq_cst);
  unpark();
}

void ExecutorThread::join() {
  if (thread_.joinable()) thread_.join();
}

void ExecutorThread::run() {
  if (settings_.is_own) own_running_.fetch_add(1, std::memory_order_relaxed);
  settle();
  coarse_ = clock_.coarse();
  while (attend()) {
    if (step_ready_ones()) continue;
    if (settings_.is_own && has_had_tasks_ && tasks_.empty()) break;
    if (!poll()) park();
    coarse_ = clock_.coarse();
  }
  if (settings_.is_own) own_running_.fetch_sub(1, std::memory_order_relaxed);
  ended_.store(true, std::memory_order_release);
}

// Takes its name and its place.
void ExecutorThread::settle() {
  pthread_setname_np(pthread_self(), settings_.name.substr(0, 15).c_str());
  if (!pin_this_thread(settings_.cpus))
    log::Event(log::Level::kWarning, "ThreadNotPinned")
        .field("thread", settings_.name)
        .field("cpu", settings_.cpus.front());
}

// Takes in what is new; false when it is time to end.
bool ExecutorThread::attend() {
  if (!attention_.load(std::memory_order_acquire)) return true;
  attention_.store(false, std::memory_order_seq_cst);
  MutexLock lock(mutex_);
  if (is_stopping_) return false;
  if (!arrivals_.empty()) has_had_tasks_ = true;
  tasks_.insert(tasks_.end(), arrivals_.begin(), arrivals_.end());
  arrivals_.clear();
  return true;
}

// One round; whether anything was stepped. A task that is always ready costs a virtual call and a
// coarse clock reading: its flag is looked at only when it says that it is blocked.
bool ExecutorThread::step_ready_ones() {
  const bool timer_may_be_due =
      nearest_ != Instant::never() && coarse_ + PosixClock::kCoarseLag >= nearest_;
  const Instant now = timer_may_be_due ? clock_.now() : coarse_;
  bool stepped = false;
  nearest_ = Instant::never();
  for (std::size_t i = 0; i != tasks_.size();) {
    ExecutorTask& task = *tasks_[i];
    if (!task.again_) {
      if (task.is_ready()) {
        task.take();
      } else if (task.wake_at_ > now) {
        nearest_ = std::min(nearest_, task.wake_at_);
        ++i;
        continue;
      }
    }
    stepped = true;
    if (!step(task)) {
      tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    nearest_ = std::min(nearest_, task.wake_at_);
    ++i;
  }
  return stepped;
}

// Whether the task goes on. If it does not, its Runnable may be gone already.
bool ExecutorThread::step(ExecutorTask& task) {
  const StepResult result = task.runnable_->step();
  const Instant now = clock_.coarse();
  if (now - coarse_ > settings_.step_warning) [[unlikely]]
    log::Event(log::Level::kWarning, "LongStep")
        .field("runnable", task.name_)
        .field("ms", (now - coarse_).to_millis());
  coarse_ = now;
  task.again_ = result.kind == StepResult::Kind::kReady;
  task.wake_at_ = result.kind == StepResult::Kind::kBlocked ? result.wake_at : Instant::never();
  return result.kind != StepResult::Kind::kDone;
}

// Looks for work for a while; whether it is worth another round.
bool ExecutorThread::poll() {
  if (settings_.is_own || settings_.poll <= Duration{0}) return false;
  if (own_running_.load(std::memory_order_relaxed) > settings_.own_threads_to_poll) return false;
  constexpr int kLooksPerReading = 16;
  const Instant until = std::min(clock_.now() + settings_.poll, nearest_);
  do {
    for (int i = 0; i != kLooksPerReading; ++i) {
      if (has_work()) return true;
      relax();
    }
  } while (clock_.now() < until);
  return until == nearest_;
}

void ExecutorThread::park() {
  spot_.prepare();
  if (has_work()) return spot_.cancel();
  // An own thread that sleeps takes no core from those who poll.
  if (settings_.is_own) own_running_.fetch_sub(1, std::memory_order_relaxed);
  sleeps_.fetch_add(1, std::memory_order_release);
  spot_.sleep(nearest_ == Instant::never() ? ParkingSpot::kForever : nearest_ - clock_.now());
  if (settings_.is_own) own_running_.fetch_add(1, std::memory_order_relaxed);
}

bool ExecutorThread::has_work() const {
  if (attention_.load(std::memory_order_seq_cst)) return true;
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [](const ExecutorTask* task) { return task->is_ready(); });
}

}  // namespace weir::env
