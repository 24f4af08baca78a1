#include "weir/environment/progress.h"

#include <cstdio>

namespace weir::environment {

void ProgressReporter::start() {
  begun_at_ = printed_at_ = env_.clock.now();
  waker_ = &env_.executor.start(*this, env::Placement::own_thread());
}

void ProgressReporter::stop() {
  if (!waker_) return;
  stopping_.store(true, std::memory_order_release);
  waker_->wake();
  MutexLock lock(mutex_);
  while (!has_stopped_) stopped_.wait(mutex_);
}

env::StepResult ProgressReporter::step() {
  const auto now = env_.clock.now();
  if (stopping_.load(std::memory_order_acquire)) {
    print(now);
    MutexLock lock(mutex_);
    has_stopped_ = true;
    stopped_.notify_all();
    return env::StepResult::done();
  }
  if (now - printed_at_ >= Duration::seconds(1)) print(now);
  return env::StepResult::blocked(printed_at_ + Duration::seconds(1));
}

void ProgressReporter::print(Instant now) {
  const auto done = metrics_.sum("subtask.", ".source_done");
  const auto total = metrics_.sum("subtask.", ".source_total");
  const auto records = metrics_.sum("subtask.", ".records_read");
  const auto values = metrics_.values();
  const auto value = [&](const char* name) {
    const auto at = values.find(name);
    return at == values.end() ? 0 : at->second;
  };
  const auto seconds = static_cast<double>((now - printed_at_).ns) / 1e9;
  const auto rate = seconds > 0 ? static_cast<double>(records - printed_records_) / seconds : 0.0;
  std::fprintf(stderr, "progress: %5.1f s  %5.1f %%  %.0f records/s  checkpoint %llu: %.1f MB in %.0f ms\n",
               static_cast<double>((now - begun_at_).ns) / 1e9,
               total ? 100.0 * static_cast<double>(done) / static_cast<double>(total) : 0.0, rate,
               static_cast<unsigned long long>(value("checkpoint.last_id")),
               static_cast<double>(value("checkpoint.last_bytes")) / 1e6,
               static_cast<double>(value("checkpoint.last_duration_us")) / 1e3);
  printed_at_ = now;
  printed_records_ = records;
}

}  // namespace weir::environment
