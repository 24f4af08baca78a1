#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace e2e {

// What a job is about, as its log tells.
enum class LogPhase : unsigned char {
  kStarting,
  kRestore,
  kCut,
  kUpload,
  kPublish,
  kCommit,
  kBetween
};
inline constexpr std::array kLogPhases = {
    LogPhase::kStarting, LogPhase::kRestore, LogPhase::kCut,    LogPhase::kUpload,
    LogPhase::kPublish,  LogPhase::kCommit,  LogPhase::kBetween};
std::string_view name_of(LogPhase phase);

// The value of a field of a log line, without quotes: "checkpoint" of "... checkpoint=17 phase=cut" is "17".
std::optional<std::string_view> field_of(std::string_view line, std::string_view name);
// The event of a log line: its third word.
std::string_view event_of(std::string_view line);

// Follows the log of one process.
//
//   Shape   restore lasts from Deploying to Running; cut from CheckpointTriggered until all tasks have said
//           CutTaken, upload until CheckpointPublishing, publish until CheckpointComplete; between is what is
//           left. Commit lasts from CheckpointComplete until all sinks have said Committed, whatever of the
//           next checkpoint goes on meanwhile
class LogPhases {
 public:
  // How many Subtasks take a cut, and how many sinks have something to commit each time.
  struct Job {
    std::size_t tasks;
    std::size_t sinks;
  };
  explicit LogPhases(Job job) : job_(job) {}

  // Takes the next line; the phase that it names, if it begins one.
  std::optional<LogPhase> line(std::string_view line);
  bool is_in(LogPhase phase) const {
    if (phase == LogPhase::kCommit) return commits_left_ != 0;
    if (phase == LogPhase::kBetween && commits_left_ != 0) return false;
    return phase == now_;
  }

 private:
  LogPhase enter(LogPhase phase) { return now_ = phase; }

  const Job job_;
  LogPhase now_ = LogPhase::kStarting;  // never kCommit
  std::size_t cuts_ = 0;                // of the checkpoint under way
  std::size_t commits_left_ = 0;
};

}  // namespace e2e
