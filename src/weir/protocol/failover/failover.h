#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/base/time.h"
#include "weir/protocol/failover/restart_strategy.h"

namespace weir::failover {

// ---- What can happen ----

struct TaskFailed {
  ExecutionId execution;
  Error error;
  Instant now;
};
// Something fails that is no task: too many checkpoints failed, a restore did not work.
struct JobFailed {
  AttemptId attempt;
  Error error;
  Instant now;
};
// After CancelAll: no task of the attempt runs any more, and no publication is under way.
struct AllTasksStopped {
  Instant now;
};
struct TimerFired {
  Instant now;
};
// The job shall end and not be resumed.
struct CancelRequested {
  Instant now;
};
// The process shall end; the same command resumes the job later.
struct SuspendRequested {
  Instant now;
};
using Input = std::variant<TaskFailed, JobFailed, AllTasksStopped, TimerFired, CancelRequested,
                           SuspendRequested>;

// ---- What the world is asked to do, in this order ----

// Stop every task of the current attempt; answered by AllTasksStopped.
struct CancelAll {
  std::optional<Error> cause;  // the failure that made it so; none where it was asked for
  bool then_restarts = false;  // unless a cancel or a suspension comes in between
};
// Restore from the newest completed checkpoint, or from nothing, and deploy everything as this
// attempt.
struct RestoreAndRestart {
  AttemptId attempt;
};
// Send TimerFired then, or at any earlier time.
struct WakeAt {
  Instant when;
};
// The job's three ends. With FailJob goes the first failure of the attempt: the others follow from
// it.
struct FailJob {
  Error root_cause;
};
struct JobCancelled {};
struct JobSuspended {};
// Say that a task failed which was to stop anyhow: nothing follows, so nothing else will tell of it.
struct ReportFailure {
  ExecutionId execution;
  Error error;
};
using Output = std::variant<CancelAll, RestoreAndRestart, WakeAt, FailJob, JobCancelled,
                            JobSuspended, ReportFailure>;

// Decides what follows a failure.
//
// A failure stops everything; when all is still and the strategy's delay is over, the whole job is
// tried again as the next attempt. The delay counts from the failure, so that stopping is part of
// it. Errors that are for good bypass the strategy: a restart would only meet them again. What
// fails while the job is already being stopped for a failure, or waits, is merged into what follows
// from that. A cancel or a suspension goes on, whatever fails meanwhile. Messages of an attempt that
// is over are ignored.
//
//   Shape   one pipelined region: all restarts together. Attempts are numbered upwards from `first`
//   Errors  none of its own
//   Thread  none of its own; the JobMaster's mailbox is the only caller
//   Source  Flink: ExecutionFailureHandler, RestartBackoffTimeStrategy
class Failover {
 public:
  Failover(const RestartOptions& options, AttemptId first);

  std::vector<Output> step(const Input& input);

  AttemptId attempt() const { return attempt_; }
  // How often the job has been restarted.
  std::uint64_t restarts() const { return restarts_; }

 private:
  enum class Phase : std::uint8_t { kRunning, kStopping, kWaiting, kEnded };
  enum class Aim : std::uint8_t { kRestart, kFail, kCancel, kSuspend };

  std::vector<Output> on(const TaskFailed& event);
  std::vector<Output> on(const JobFailed& event);
  std::vector<Output> on(const AllTasksStopped& event);
  std::vector<Output> on(const TimerFired& event);
  std::vector<Output> on(const CancelRequested& event);
  std::vector<Output> on(const SuspendRequested& event);

  std::vector<Output> fail(AttemptId attempt, const Error& error, Instant now);
  std::vector<Output> aim_for(Aim aim);
  std::vector<Output> restart_when_due(Instant now);
  std::vector<Output> end();

  const std::unique_ptr<RestartStrategy> strategy_;
  Phase phase_ = Phase::kRunning;
  Aim aim_ = Aim::kRestart;
  AttemptId attempt_;
  std::uint64_t restarts_ = 0;
  Instant restart_at_{};
  std::optional<Error> root_cause_;  // the first failure of the current attempt
};

}  // namespace weir::failover
