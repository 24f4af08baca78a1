#include "weir/env/posix/posix_executor.h"

#include <system_error>

#include "weir/base/check.h"
#include "weir/base/log.h"
#include "weir/env/posix/host.h"
#include "weir/env/posix/internal/executor_thread.h"

namespace weir::env {
namespace {

PosixExecutorOptions completed(PosixExecutorOptions options) {
  if (options.cores == 0) options.cores = cores_available();
  if (options.threads == 0) options.threads = options.cores;
  return options;
}

}  // namespace

PosixExecutor::PosixExecutor(Options options)
    : options_(completed(std::move(options))), thread_count_(options_.threads) {
  try {
    MutexLock lock(mutex_);
    for (std::uint32_t i = 0; i != thread_count_; ++i) {
      std::vector<std::uint32_t> cpus;
      if (!options_.cpus.empty()) cpus.push_back(options_.cpus[i % options_.cpus.size()]);
      add_thread("weir-" + std::to_string(i), std::move(cpus), false);
    }
  } catch (...) {
    stop();
    throw;
  }
}

PosixExecutor::~PosixExecutor() { stop(); }

std::uint32_t PosixExecutor::thread_count() const { return thread_count_; }

ExecutorThread& PosixExecutor::add_thread(std::string name, std::vector<std::uint32_t> cpus,
                                          bool is_own) {
  auto& threads = is_own ? own_ : shared_;
  threads.reserve(threads.size() + 1);  // A thread that has been started must find its place.
  threads.push_back(std::make_unique<ExecutorThread>(
      clock_,
      ExecutorThread::Settings{
          .name = std::move(name),
          .cpus = std::move(cpus),
          .poll = options_.cores < thread_count_ ? Duration{0} : options_.poll,
          .step_warning = is_own ? ParkingSpot::kForever : options_.step_warning,
          .own_threads_to_poll =
              options_.cores < thread_count_ ? 0 : options_.cores - thread_count_,
          .is_own = is_own},
      own_running_));
  return *threads.back();
}

// What it would have had to itself it shares where the system refuses another thread.
ExecutorThread& PosixExecutor::own_thread_for(const std::string& name, std::error_code& refused) {
  try {
    return add_thread(name, {}, true);
  } catch (const std::system_error& e) {
    refused = e.code();
    return *shared_[tasks_.size() % thread_count_];
  }
}

Waker& PosixExecutor::start(Runnable& runnable, Placement placement) {
  const std::string name = runnable.name();
  std::error_code refused;
  Waker& waker = start(runnable, name, placement, refused);
  if (refused)
    log::Event(log::Level::kWarning, "ThreadRefused")
        .field("runnable", name)
        .field("reason", refused.message())
        .field("advice",
               "it runs beside others, which wait while it blocks: " + std::string(kThreadAdvice));
  return waker;
}

Waker& PosixExecutor::start(Runnable& runnable, const std::string& name, Placement placement,
                            std::error_code& refused) {
  MutexLock lock(mutex_);
  ExecutorThread* thread = nullptr;
  if (!stopping_) {
    for (const auto& ended : own_)
      if (ended->has_ended()) ended->join();  // Its last act lies behind it: this does not wait.
    WEIR_CHECK(placement.is_own || placement.thread < thread_count_);
    thread = placement.is_own ? &own_thread_for(name, refused) : shared_[placement.thread].get();
  }
  tasks_.push_back(std::make_unique<ExecutorTask>(runnable, name, thread));
  if (thread) thread->add(*tasks_.back());
  return *tasks_.back();
}

void PosixExecutor::stop() {
  std::vector<ExecutorThread*> threads;
  {
    MutexLock lock(mutex_);
    stopping_ = true;  // From here on no thread is added: a step may still call start().
    for (const auto& thread : shared_) threads.push_back(thread.get());
    for (const auto& thread : own_) threads.push_back(thread.get());
  }
  for (auto* thread : threads) thread->request_stop();
  for (auto* thread : threads) thread->join();
}

PosixExecutor::Sleeps PosixExecutor::sleeps() {
  Sleeps sleeps;
  MutexLock lock(mutex_);
  for (const auto& thread : shared_) sleeps.shared += thread->sleeps();
  for (const auto& thread : own_) sleeps.own += thread->sleeps();
  return sleeps;
}

}  // namespace weir::env
