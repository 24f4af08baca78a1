#pragma once

#include <optional>
#include <string>
#include <variant>

#include "weir/ha/api/run_record.h"

namespace weir::ha {

// What the user said about the start.
struct StartOptions {
  std::string job_name;
  bool restart = false;  // --restart: begin anew, whatever was there
};

// Begin under a new job id, with ids from 1: write BeginRun first.
struct NewRun {
  JobId job;
  friend bool operator==(const NewRun&, const NewRun&) = default;
};
// Go on with the run that is there, from its newest completed checkpoint; from the beginning where
// it has none yet.
struct ResumeRun {
  JobId job;
  std::optional<Pointer> from;
  friend bool operator==(const ResumeRun&, const ResumeRun&) = default;
};
// There is nothing to do: say the sentence and exit with 0.
struct AlreadyFinished {
  RunResult result;
  std::string sentence;
  friend bool operator==(const AlreadyFinished&, const AlreadyFinished&) = default;
};
using Start = std::variant<NewRun, ResumeRun, AlreadyFinished>;

// What a process that was started does about the run that it finds; `fresh` is the job id that a
// new run would get. An open without BeginRun left a record without checkpoints: that run resumes.
Start decide_start(const std::optional<RunRecord>& found, const StartOptions& options, JobId fresh);

// "2026-11-29 18:44:05 UTC".
std::string utc_text(WallTime time);

}  // namespace weir::ha
