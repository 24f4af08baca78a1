#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "weir/base/mutex.h"
#include "weir/env/api/env.h"
#include "weir/metrics/registry.h"

namespace weir::environment {

// How far a job has come, as its metrics tell it.
//
//   Units  done and total in that of the sources: bytes or records, of the whole input: what readers
//          have read, what they still have, what no reader has been given yet
struct ProgressFigures {
  std::uint64_t done = 0;
  std::uint64_t total = 0;         // 0: not known yet
  std::uint64_t records_read = 0;  // by the sources, since this process began
  // By the first operator of each chain: what it has read or taken in since this process began.
  std::map<std::string, std::uint64_t> records_by_operator;
  std::uint64_t checkpoint = 0;  // the newest complete one, with what it took
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t checkpoint_us = 0;
};

ProgressFigures progress_figures(const std::map<std::string, std::uint64_t>& metrics);

// The line for people and for scripts, with its line end:
//
//   progress:  12.0 s   35.1 %    851101 records/s  checkpoint 57: 3.2 MB in 12 ms  count 40112001, lines 5012330
std::string progress_line(const ProgressFigures& figures, Duration elapsed,
                          double records_per_second);

// Prints a line per interval to standard error: how much of the input is read, how fast, the newest
// checkpoint.
//
//   Units   the rate is that of the last second, however short the interval
//   Thread  start() and stop() on one; stop() returns when the last line is out
class ProgressReporter final : public env::Runnable {
 public:
  ProgressReporter(const env::Env& env, const metrics::Registry& metrics, Duration interval)
      : env_(env), metrics_(metrics), interval_(interval) {}

  void start();
  void stop();

  env::StepResult step() override;
  std::string name() const override { return "ProgressReporter"; }

 private:
  void print(Instant now);

  const env::Env env_;
  const metrics::Registry& metrics_;
  const Duration interval_;
  env::Waker* waker_ = nullptr;
  std::atomic<bool> stopping_{false};  // Partner: stop()'s wake.
  Mutex mutex_;
  CondVar stopped_;
  bool has_stopped_ WEIR_GUARDED_BY(mutex_) = false;
  struct Sample {
    Instant at{};
    std::uint64_t records = 0;
  };

  Instant begun_at_{};
  Instant printed_at_{};
  std::deque<Sample> recent_;  // of the last second, and one before it
};

}  // namespace weir::environment
