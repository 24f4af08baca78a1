#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/log.h"
#include "weir/base/mutex.h"

namespace weir::test {

// The warnings and errors that are logged as long as it lives.
//
//   Thread  any; one at a time is the log's sink
class EventsSeen final : public log::Sink {
 public:
  EventsSeen() { log::set_sink(this); }
  ~EventsSeen() override { log::set_sink(before_); }
  EventsSeen(const EventsSeen&) = delete;
  EventsSeen& operator=(const EventsSeen&) = delete;

  bool wants(log::Level level) const override { return level >= log::Level::kWarning; }
  void write(log::Level, std::string_view line) override {
    MutexLock lock(mutex_);
    lines_.emplace_back(line);
  }
  std::vector<std::string> of(const std::string& event) const {
    MutexLock lock(mutex_);
    std::vector<std::string> lines;
    for (const auto& line : lines_)
      if (line.starts_with(event)) lines.push_back(line);
    return lines;
  }
  // Whether some event of that name says all of the words.
  bool has(const std::string& event, const std::vector<std::string>& words) const {
    const auto says_all = [&](const std::string& line) {
      return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return line.find(word) != std::string::npos;
      });
    };
    const auto lines = of(event);
    return std::any_of(lines.begin(), lines.end(), says_all);
  }

 private:
  log::Sink* const before_ = log::sink();
  mutable Mutex mutex_;
  std::vector<std::string> lines_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::test
