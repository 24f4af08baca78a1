#include "weir/environment/progress.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace weir::environment {
namespace {

// "subtask.lines -> words[1].records_in": of which operator, and what.
struct SubtaskMetric {
  std::string_view first_operator;  // "lines"
  std::string_view noun;            // "records_in"
};

SubtaskMetric take_apart(std::string_view name) {
  constexpr std::string_view kScope = "subtask.";
  if (!name.starts_with(kScope)) return {};
  name.remove_prefix(kScope.size());
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const auto task = name.substr(0, name.rfind('[', dot));
  return {.first_operator = task.substr(0, task.find(" -> ")), .noun = name.substr(dot + 1)};
}

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 160> text{};
  const auto size = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), std::min(static_cast<std::size_t>(size), text.size() - 1)};
}

}  // namespace

ProgressFigures progress_figures(const std::map<std::string, std::uint64_t>& metrics) {
  ProgressFigures figures;
  std::map<std::string, std::uint64_t> read;
  std::map<std::string, std::uint64_t> taken;
  for (const auto& [name, value] : metrics) {
    const auto [first_operator, noun] = take_apart(name);
    if (noun == "source_done") figures.done += value;
    if (noun == "source_total") figures.total += value;
    if (noun == "records_read") read[std::string(first_operator)] += value;
    if (noun == "records_in") taken[std::string(first_operator)] += value;
    if (name == "checkpoint.last_id") figures.checkpoint = value;
    if (name == "checkpoint.last_bytes") figures.checkpoint_bytes = value;
    if (name == "checkpoint.last_duration_us") figures.checkpoint_us = value;
  }
  for (const auto& [op, count] : read) {
    figures.records_read += count;
    // What a reader takes in are its splits.
    const auto records = count ? count : taken[op];
    if (records) figures.records_by_operator[op] = records;
  }
  return figures;
}

std::string progress_line(const ProgressFigures& figures, Duration elapsed,
                          double records_per_second) {
  const auto seconds = static_cast<double>(elapsed.ns) / 1e9;
  auto line = formatted("progress: %6.1f s  ", seconds);
  if (figures.total) {
    // Rounded down: 100.0 says that nothing is left to be read.
    const auto thousandths =
        static_cast<std::uint64_t>(static_cast<double>(figures.done) * 1e3 /
                                   static_cast<double>(std::max(figures.done, figures.total)));
    line += formatted("%5.1f %%", static_cast<double>(thousandths) / 10);
  } else {
    line += "    - %";
  }
  line += formatted("  %9.0f records/s  ", records_per_second);
  if (figures.checkpoint) {
    line += formatted("checkpoint %llu: %.1f MB in %.0f ms",
                      static_cast<unsigned long long>(figures.checkpoint),
                      static_cast<double>(figures.checkpoint_bytes) / 1e6,
                      static_cast<double>(figures.checkpoint_us) / 1e3);
  } else {
    line += "checkpoint -";
  }
  auto separator = "  ";
  for (const auto& [op, records] : figures.records_by_operator) {
    line += separator + op + " " + std::to_string(records);
    separator = ", ";
  }
  return line + "\n";
}

void ProgressReporter::start() {
  begun_at_ = printed_at_ = env_.clock.now();
  recent_ = {{.at = begun_at_}};
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
  if (now - printed_at_ >= interval_) print(now);
  return env::StepResult::blocked(printed_at_ + interval_);
}

void ProgressReporter::print(Instant now) {
  const auto figures = progress_figures(metrics_.values());
  while (recent_.size() > 1 && now - recent_[1].at >= Duration::seconds(1)) recent_.pop_front();
  const auto seconds = static_cast<double>((now - recent_.front().at).ns) / 1e9;
  const auto records = static_cast<double>(figures.records_read - recent_.front().records);
  const auto line = progress_line(figures, now - begun_at_, seconds > 0 ? records / seconds : 0.0);
  // At once: other processes may write to the same terminal.
  std::fwrite(line.data(), 1, line.size(), stderr);
  printed_at_ = now;
  recent_.push_back({now, figures.records_read});
}

}  // namespace weir::environment
