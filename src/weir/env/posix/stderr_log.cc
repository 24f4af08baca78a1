#include "weir/env/posix/stderr_log.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <string>

namespace weir::env {
namespace {

std::string_view name_of(log::Level level) {
  switch (level) {
    case log::Level::kDebug:
      return "DEBUG";
    case log::Level::kInfo:
      return "INFO";
    case log::Level::kWarning:
      return "WARNING";
    case log::Level::kError:
      return "ERROR";
  }
  return "?";
}

std::string stamp_of(WallTime time) {
  const std::time_t seconds = time.unix_ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> millis{};
  std::snprintf(millis.data(), millis.size(), ".%03dZ", static_cast<int>(time.unix_ms % 1000));
  return std::string(text.data(), length) + millis.data();
}

}  // namespace

StderrLog::StderrLog(const Clock& clock, log::Level level, int file_descriptor)
    : clock_(clock), file_descriptor_(file_descriptor), level_(level) {}

bool StderrLog::wants(log::Level level) const {
  return level >= level_.load(std::memory_order_relaxed);
}

void StderrLog::set_level(log::Level level) { level_.store(level, std::memory_order_relaxed); }

void StderrLog::write(log::Level level, std::string_view line) {
  std::string text = stamp_of(clock_.wall());
  text.append(" ").append(name_of(level)).append(" ").append(line).append("\n");
  const ssize_t written = ::write(file_descriptor_, text.data(), text.size());
  static_cast<void>(written);  // Lost: there is nowhere left to say so.
}

}  // namespace weir::env
