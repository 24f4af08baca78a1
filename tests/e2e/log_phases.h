#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
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
//           CutTaken, upload until CheckpointPublishing, publish until CheckpointComplete, commit until each
//           sink that began has said Committed; between is what is left
class LogPhases {
 public:
  // `tasks`: how many Subtasks take a cut.
  explicit LogPhases(std::size_t tasks) : tasks_(tasks) {}

  // Takes the next line; the phase that it names, if it begins one.
  std::optional<LogPhase> line(std::string_view line);
  LogPhase now() const { return now_; }

 private:
  LogPhase enter(LogPhase phase) { return now_ = phase; }

  const std::size_t tasks_;
  LogPhase now_ = LogPhase::kStarting;
  std::size_t cuts_ = 0;                           // of the checkpoint under way
  std::set<std::string, std::less<>> committing_;  // sinks
};

}  // namespace e2e
