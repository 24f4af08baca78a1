#include "weir/protocol/failover/failover.h"

namespace weir::failover {

Failover::Failover(const RestartOptions& options, AttemptId first)
    : strategy_(make_restart_strategy(options)), attempt_(first) {}

std::vector<Output> Failover::step(const Input& input) {
  if (phase_ == Phase::kEnded) return {};
  return std::visit([this](const auto& event) { return on(event); }, input);
}

std::vector<Output> Failover::on(const TaskFailed& event) {
  const bool stops_as_asked = phase_ == Phase::kStopping && !root_cause_;
  if (stops_as_asked && event.execution.attempt == attempt_)
    return {ReportFailure{event.execution, event.error}};
  return fail(event.execution.attempt, event.error, event.now);
}

std::vector<Output> Failover::on(const JobFailed& event) {
  return fail(event.attempt, event.error, event.now);
}

std::vector<Output> Failover::fail(AttemptId attempt, const Error& error, Instant now) {
  if (attempt != attempt_ || phase_ != Phase::kRunning) return {};
  phase_ = Phase::kStopping;
  root_cause_ = error;
  aim_ = Aim::kFail;
  if (!is_for_good(error.code)) {
    if (const auto delay = strategy_->on_failure(now)) {
      aim_ = Aim::kRestart;
      restart_at_ = now + *delay;
    } else {
      root_cause_ =
          error.during("not restarting (restart strategy " + strategy_->description() + ")");
    }
  }
  return {CancelAll{.cause = root_cause_, .then_restarts = aim_ == Aim::kRestart}};
}

std::vector<Output> Failover::on(const AllTasksStopped& event) {
  if (phase_ != Phase::kStopping) return {};
  if (aim_ != Aim::kRestart) return end();
  phase_ = Phase::kWaiting;
  return restart_when_due(event.now);
}

std::vector<Output> Failover::on(const TimerFired& event) {
  if (phase_ != Phase::kWaiting) return {};
  return restart_when_due(event.now);
}

std::vector<Output> Failover::restart_when_due(Instant now) {
  if (now < restart_at_) return {WakeAt{restart_at_}};
  phase_ = Phase::kRunning;
  root_cause_.reset();
  ++restarts_;
  ++attempt_.value;
  return {RestoreAndRestart{attempt_}};
}

std::vector<Output> Failover::on(const CancelRequested&) { return aim_for(Aim::kCancel); }

std::vector<Output> Failover::on(const SuspendRequested&) { return aim_for(Aim::kSuspend); }

std::vector<Output> Failover::aim_for(Aim aim) {
  switch (phase_) {
    case Phase::kRunning:
      phase_ = Phase::kStopping;
      aim_ = aim;
      return {CancelAll{}};
    case Phase::kStopping:
      // A job that is failing for good has failed, and a cancelled one is not suspended any more.
      if (aim_ == Aim::kRestart || (aim_ == Aim::kSuspend && aim == Aim::kCancel)) aim_ = aim;
      return {};
    case Phase::kWaiting:
      aim_ = aim;
      return end();
    case Phase::kEnded:
      return {};
  }
  return {};
}

std::vector<Output> Failover::end() {
  phase_ = Phase::kEnded;
  switch (aim_) {
    case Aim::kFail:
      return {FailJob{*root_cause_}};
    case Aim::kCancel:
      return {JobCancelled{}};
    case Aim::kSuspend:
      return {JobSuspended{}};
    case Aim::kRestart:
      break;
  }
  return {};
}

}  // namespace weir::failover
