#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/log.h"
#include "weir/base/mutex.h"

namespace weir::test {

// Keeps what is logged while it lives.
//
//   Thread  any; made and destroyed while nobody logs
class KeptLog final : public log::Sink {
 public:
  explicit KeptLog(log::Level least = log::Level::kDebug) : least_(least) { log::set_sink(this); }
  ~KeptLog() override { log::set_sink(nullptr); }
  KeptLog(const KeptLog&) = delete;
  KeptLog& operator=(const KeptLog&) = delete;

  bool wants(log::Level level) const override { return level >= least_; }
  void write(log::Level, std::string_view line) override {
    MutexLock lock(mutex_);
    lines_.emplace_back(line);
  }

  // The lines so far that begin so, such as with an event's name. All so far are forgotten.
  std::vector<std::string> take(std::string_view beginning = "") {
    MutexLock lock(mutex_);
    std::vector<std::string> taken;
    for (auto& line : lines_)
      if (line.starts_with(beginning)) taken.push_back(std::move(line));
    lines_.clear();
    return taken;
  }

 private:
  const log::Level least_;
  Mutex mutex_;
  std::vector<std::string> lines_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::test
