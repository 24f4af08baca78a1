#include "tests/e2e/log_phases.h"

namespace e2e {

std::string_view name_of(LogPhase phase) {
  switch (phase) {
    case LogPhase::kStarting:
      return "starting";
    case LogPhase::kRestore:
      return "restore";
    case LogPhase::kCut:
      return "cut";
    case LogPhase::kUpload:
      return "upload";
    case LogPhase::kPublish:
      return "publish";
    case LogPhase::kCommit:
      return "commit";
    case LogPhase::kBetween:
      return "between";
  }
  return "?";
}

std::optional<std::string_view> field_of(std::string_view line, std::string_view name) {
  const auto key = " " + std::string(name) + "=";
  const auto found = line.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  auto value = line.substr(found + key.size());
  if (!value.starts_with('"')) return value.substr(0, value.find(' '));
  value.remove_prefix(1);
  return value.substr(0, value.find('"'));
}

std::string_view event_of(std::string_view line) {
  for (int word = 0; word != 2; ++word) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return {};
    line.remove_prefix(space + 1);
  }
  return line.substr(0, line.find(' '));
}

std::optional<LogPhase> LogPhases::line(std::string_view line) {
  const auto event = event_of(line);
  if (event == "Deploying") return enter(LogPhase::kRestore);
  if (event == "CheckpointPublishing") return enter(LogPhase::kPublish);
  if (event == "CheckpointTriggered") {
    cuts_ = 0;
    return enter(LogPhase::kCut);
  }
  if (event == "CheckpointComplete") {
    enter(LogPhase::kBetween);
    commits_left_ = job_.sinks;
    return LogPhase::kCommit;
  }
  if (event == "Running" || event == "CheckpointAborted") enter(LogPhase::kBetween);
  if (event == "Committed" && commits_left_ != 0) --commits_left_;
  if (event != "CutTaken") return std::nullopt;
  if (++cuts_ == job_.tasks && now_ == LogPhase::kCut) enter(LogPhase::kUpload);
  // The first one uploads already.
  return cuts_ == 1 ? std::optional(LogPhase::kUpload) : std::nullopt;
}

}  // namespace e2e
