#pragma once

#include <atomic>
#include <cstdint>

#include "weir/base/mutex.h"
#include "weir/env/api/env.h"
#include "weir/metrics/registry.h"

namespace weir::environment {

// Prints a line per second to standard error: how much of the input is read, how fast, the newest checkpoint.
//
//   Thread  start() and stop() on one; stop() returns when the last line is out
class ProgressReporter final : public env::Runnable {
 public:
  ProgressReporter(const env::Env& env, const metrics::Registry& metrics) : env_(env), metrics_(metrics) {}

  void start();
  void stop();

  env::StepResult step() override;
  std::string name() const override { return "ProgressReporter"; }

 private:
  void print(Instant now);

  const env::Env env_;
  const metrics::Registry& metrics_;
  env::Waker* waker_ = nullptr;
  std::atomic<bool> stopping_{false};  // Partner: stop()'s wake.
  Mutex mutex_;
  CondVar stopped_;
  bool has_stopped_ WEIR_GUARDED_BY(mutex_) = false;
  Instant begun_at_{};
  Instant printed_at_{};
  std::uint64_t printed_records_ = 0;
};

}  // namespace weir::environment
