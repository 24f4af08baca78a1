#pragma once

#include <atomic>

#include "weir/base/log.h"
#include "weir/env/api/clock.h"

namespace weir::env {

// Writes each log line with time and level to standard error, in one write(2), so that the lines of
// threads and processes that share a terminal do not tear each other:
//
//   2026-02-03T04:05:06.789Z WARNING CheckpointDeclined checkpoint=17 reason=timeout
//
//   Errors  a line that cannot be written is lost; there is nowhere left to say so
//   Thread  any
class StderrLog final : public log::Sink {
 public:
  // `file_descriptor` is borrowed, for tests and for logs that go elsewhere.
  explicit StderrLog(const Clock& clock, log::Level level = log::Level::kInfo,
                     int file_descriptor = 2);

  bool wants(log::Level level) const override;
  void write(log::Level level, std::string_view line) override;
  void set_level(log::Level level);

 private:
  const Clock& clock_;
  const int file_descriptor_;
  std::atomic<log::Level> level_;  // No partner: a filter, nothing depends on it.
};

}  // namespace weir::env
