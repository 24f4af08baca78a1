#include "tests/simulation/phases.h"

namespace weir::simulation {

std::string_view name_of(PhaseOfJob phase) {
  switch (phase) {
    case PhaseOfJob::kOpen:
      return "open";
    case PhaseOfJob::kRestore:
      return "restore";
    case PhaseOfJob::kProcess:
      return "process";
    case PhaseOfJob::kCut:
      return "cut";
    case PhaseOfJob::kUpload:
      return "upload";
    case PhaseOfJob::kPublish:
      return "publish";
    case PhaseOfJob::kCommit:
      return "commit";
    case PhaseOfJob::kStopping:
      return "stopping";
  }
  return "?";
}

void PhaseWatcher::process_begins() {
  phases_.reset();
  commits_ = 0;
  set(PhaseOfJob::kOpen, true);
}

void PhaseWatcher::process_ends() { phases_.reset(); }

void PhaseWatcher::write(log::Level level, std::string_view line) {
  const auto event = line.substr(0, line.find(' '));
  follow(event);
  if (hook_) hook_(event, line);
  if (next_.wants(level)) next_.write(level, line);
}

void PhaseWatcher::follow(std::string_view event) {
  const auto no_checkpoint = [this] {
    for (const auto phase : {PhaseOfJob::kCut, PhaseOfJob::kUpload, PhaseOfJob::kPublish})
      set(phase, false);
    set(PhaseOfJob::kProcess, !phases_.test(static_cast<std::size_t>(PhaseOfJob::kRestore)));
  };
  if (event == "Deploying") {
    phases_.reset();
    commits_ = 0;
    set(PhaseOfJob::kRestore, true);
  } else if (event == "Running") {
    set(PhaseOfJob::kRestore, false);
    set(PhaseOfJob::kProcess, true);
  } else if (event == "CheckpointTriggered") {
    set(PhaseOfJob::kProcess, false);
    set(PhaseOfJob::kCut, true);
  } else if (event == "CutTaken") {
    set(PhaseOfJob::kUpload, true);
  } else if (event == "CheckpointPublishing") {
    set(PhaseOfJob::kCut, false);
    set(PhaseOfJob::kUpload, false);
    set(PhaseOfJob::kPublish, true);
  } else if (event == "CheckpointComplete" || event == "CheckpointAborted") {
    no_checkpoint();
  } else if (event == "Committing") {
    ++commits_;
    set(PhaseOfJob::kCommit, true);
  } else if (event == "Committed" || event == "CommitFailed") {
    if (commits_ > 0 && --commits_ == 0) set(PhaseOfJob::kCommit, false);
  } else if (event == "Stopping") {
    set(PhaseOfJob::kStopping, true);
  }
}

}  // namespace weir::simulation
