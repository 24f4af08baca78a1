#include "weir/jobmaster/job_master.h"

#include <algorithm>

#include "weir/base/log.h"
#include "weir/jobmaster/leftovers.h"

namespace weir::jobmaster {
namespace {

constexpr Duration kRecordAgainAfter = Duration::seconds(1);
constexpr AttemptId kFirstAttempt{1};

}  // namespace

JobMaster::JobMaster(JobMasterParts parts)
    : parts_(std::move(parts)),
      failover_(parts_.restart, kFirstAttempt),
      records_(parts_.env.io),
      discards_(parts_.env.io) {
  if (parts_.storage) coordinator_.emplace(parts_.checkpoints, plan());
  for (const auto& checkpoint : parts_.retained)
    retained_.push_back({checkpoint.id, pointer_path(checkpoint.id)});
}

JobMaster::~JobMaster() = default;

void JobMaster::start() {
  mailbox_.wake_with(parts_.env.executor.start(*this, env::Placement::own_thread()));
}

void JobMaster::trigger_checkpoint(std::function<void(Result<CheckpointId>)> answer) {
  mailbox_.post(Letter(ManualRequest{std::move(answer)}));
}

env::StepResult JobMaster::step() {
  if (phase_ == Phase::kNew) begin();
  for (mailbox_.take(letters_); !letters_.is_empty();) {
    auto letter = letters_.pop();
    std::visit([this](auto& l) { on(l); }, letter);
  }
  const auto time = now();
  if (coordinator_at_ <= time) {
    coordinator_at_ = Instant::never();
    tell_coordinator(checkpoint::TimerFired{time});
  }
  if (failover_at_ <= time) {
    failover_at_ = Instant::never();
    tell_failover(failover::TimerFired{time});
  }
  if (record_at_ <= time) {
    record_at_ = Instant::never();
    record_result();
  }
  if (phase_ == Phase::kEnded) {
    answer_open_requests();
    // Whoever hears this may destroy the JobMaster, so nothing of it is touched afterwards.
    const auto on_end = std::move(parts_.on_end);
    const auto how = *std::move(end_);
    on_end(how);
    return env::StepResult::done();
  }
  return env::StepResult::blocked(std::min({coordinator_at_, failover_at_, record_at_}));
}

void JobMaster::begin() {
  phase_ = Phase::kRunning;
  const auto attempt = failover_.attempt();
  if (coordinator_) {
    const auto& found = parts_.store->found();
    is_provisional_ = parts_.store->record().earlier.has_value();
    is_replacing_ = is_provisional_ || (found && found->job != parts_.job);
    checkpoint::Started started{.attempt = attempt,
                                .restored = std::nullopt,
                                .reserved_up_to = parts_.store->record().ids_reserved,
                                .retained = parts_.retained,
                                .wall = parts_.env.clock.wall(),
                                .now = now()};
    if (!parts_.retained.empty()) started.restored = parts_.retained.front().id;
    tell_coordinator(started);
  }
  deploy(attempt);
}

void JobMaster::deploy(AttemptId attempt) {
  const auto* from = coordinator_ ? coordinator_->newest_completed() : nullptr;
  log::Event event(log::Level::kInfo, "Deploying");
  event.field("attempt", attempt.value).field("phase", from ? "restore" : "fresh");
  if (from) event.field("checkpoint", from->id.value);
  attempt_ = attempt;
  running_ = 0;
  tasks_.clear();
  auto tasks = assign_state(parts_.graph, from, attempt, parts_.unclaimed);
  if (!tasks) return tell_failover(failover::JobFailed{attempt, tasks.error(), now()});
  for (const auto& task : *tasks) tasks_[task.execution] = TaskState::kDeployed;
  tell_tasks(
      rpc::DeployTasks{attempt, from ? std::optional(from->id) : std::nullopt, *std::move(tasks)});
}

// ---- Letters ----

void JobMaster::on(rpc::ToJobMaster& message) {
  if (message.epoch != parts_.epoch) {
    log::Event(log::Level::kWarning, "MessageOfAnotherEpoch")
        .field("epoch", message.epoch.value)
        .field("expected", parts_.epoch.value);
    return;
  }
  std::visit([this](auto& m) { on(m); }, message.report);
}

void JobMaster::on(checkpoint::Input& input) { tell_coordinator(input); }

void JobMaster::on(Verb& verb) {
  if (phase_ == Phase::kRecording && verb == Verb::kSuspend) return suspend_recording();
  if (phase_ != Phase::kRunning) return;
  if (verb == Verb::kSuspend) {
    tell_failover(failover::SuspendRequested{now()});
  } else {
    tell_failover(failover::CancelRequested{now()});
  }
}

void JobMaster::on(ManualRequest& request) {
  if (!coordinator_)
    return request.answer(Error{Code::kInvalid, "triggering a checkpoint: the job takes none"});
  const auto id = next_request_++;
  requests_[id] = std::move(request.answer);
  tell_coordinator(checkpoint::ManualTrigger{{id}, now()});
}

bool JobMaster::is_current(ExecutionId execution) const { return tasks_.contains(execution); }

void JobMaster::on(rpc::TaskRunning& message) {
  if (!is_current(message.execution)) return;
  if (++running_ == tasks_.size()) {
    log::Event(log::Level::kInfo, "Running").field("attempt", attempt_.value);
    is_provisional_ = false;
    if (std::exchange(is_replacing_, false)) settle_run();
  }
  tell_coordinator(checkpoint::TaskRunning{message.execution, now()});
}

void JobMaster::on(rpc::TaskAtEnd& message) {
  if (is_current(message.execution))
    tell_coordinator(checkpoint::ReachedEnd{message.execution, now()});
}

void JobMaster::on(rpc::TaskFinished& message) {
  if (!is_current(message.execution)) return;
  tell_coordinator(checkpoint::TaskFinished{message.execution, now()});
  end_task(message.execution, TaskState::kFinished);
}

void JobMaster::on(rpc::TaskFailed& message) {
  if (is_current(message.execution))
    tell_failover(failover::TaskFailed{message.execution, std::move(message.error), now()});
}

void JobMaster::on(rpc::TaskCancelled& message) {
  if (is_current(message.execution)) end_task(message.execution, TaskState::kCancelled);
}

void JobMaster::on(rpc::CheckpointAcknowledged& message) {
  auto& longest = in_progress_[message.id].longest;
  longest.alignment = std::max(longest.alignment, message.timings.alignment);
  longest.cut = std::max(longest.cut, message.timings.cut);
  longest.upload = std::max(longest.upload, message.timings.upload);
  longest.bytes += message.timings.bytes;
  tell_coordinator(
      checkpoint::Acked{message.id, message.execution, std::move(message.snapshot), now()});
}

void JobMaster::on(rpc::CheckpointDeclined& message) {
  tell_coordinator(
      checkpoint::Declined{message.id, message.execution, message.reason, message.detail, now()});
}

// ---- Tasks that end ----

bool JobMaster::all_tasks_ended() const {
  return std::all_of(tasks_.begin(), tasks_.end(),
                     [](const auto& task) { return task.second != TaskState::kDeployed; });
}

void JobMaster::end_task(ExecutionId execution, TaskState state) {
  tasks_[execution] = state;
  if (is_stopping_) return stopped_when_still();
  if (phase_ != Phase::kRunning || !all_tasks_ended()) return;
  phase_ = Phase::kFinishing;
  is_settled_ = !coordinator_;
  if (coordinator_) tell_coordinator(checkpoint::Stopped{now()});
  finish_when_settled();
}

void JobMaster::stopped_when_still() {
  if (!is_stopping_ || !is_settled_ || !all_tasks_ended()) return;
  is_stopping_ = false;
  tell_failover(failover::AllTasksStopped{now()});
}

void JobMaster::finish_when_settled() {
  if (phase_ != Phase::kFinishing || !is_settled_) return;
  phase_ = Phase::kRecording;
  if (!parts_.store) return end({JobEnd::Kind::kFinished, std::nullopt});
  record_result();
}

// The result is durable before anything that it makes superfluous is deleted: nobody restores a run
// that is FINISHED.
void JobMaster::record_result() {
  const auto last = retained_.empty() ? 0 : retained_.front().id.value;
  records_.submit([this, summary = std::to_string(last) + " was its last checkpoint"] {
    auto written = parts_.store->write(ha::Finish{{parts_.env.clock.wall(), summary}});
    if (written) delete_checkpoints();
    mailbox_.post(Letter(ResultWritten{std::move(written)}));
  });
}

// On the I/O pool.
void JobMaster::delete_checkpoints() {
  const auto& record = parts_.store->record();
  remove_checkpoints(*parts_.storage, record, {});
  remove_other_runs(*parts_.storage, record.runs());
}

// A disk that takes no result must not keep the process. Started again, the job finds its final
// checkpoint.
void JobMaster::suspend_recording() {
  suspend_wanted_ = true;
  if (record_at_ != Instant::never()) end({JobEnd::Kind::kSuspended, std::nullopt});
}

void JobMaster::on(ResultWritten& outcome) {
  const auto& written = outcome.written;
  switch (written.fate()) {
    case Fate::kDurable:
      return end({JobEnd::Kind::kFinished, std::nullopt});
    case Fate::kSyncFailed:
      return end({JobEnd::Kind::kStopped, written.error()});
    case Fate::kAbsent:
    case Fate::kUnknown:
      if (written.error().code == Code::kRefused)
        return end({JobEnd::Kind::kStopped, written.error()});
      log::Event(log::Level::kWarning, "ResultNotRecorded")
          .field("reason", written.error().to_string());
      if (suspend_wanted_) return end({JobEnd::Kind::kSuspended, std::nullopt});
      record_at_ = now() + kRecordAgainAfter;
      return;
  }
}

void JobMaster::end(JobEnd how) {
  phase_ = Phase::kEnded;
  end_ = std::move(how);
}

void JobMaster::answer_open_requests() {
  for (auto& [id, answer] : std::exchange(requests_, {}))
    answer(
        Error{Code::kCancelled, "triggering a checkpoint: the job ended before it was complete: " +
                                    std::string(job_end_name(end_->kind))});
}

// ---- A run that is to replace an earlier one ----

// From now on there is nothing to go back to. Where the record does not say so, it will with the
// first checkpoint. It is written also where it says so already: nothing of another run is deleted
// but behind a write that has found the record to be ours still.
void JobMaster::settle_run() {
  records_.submit([this] {
    if (const auto written = parts_.store->write(ha::SettleRun{}); !written) {
      log::Event(log::Level::kWarning, "RunNotSettled")
          .field("reason", written.error().to_string());
      tell_if_lost(written.error().during("settling the run"));
      return;
    }
    discards_.submit(
        [this, keep = parts_.store->record().runs()] { remove_other_runs(*parts_.storage, keep); });
  });
}

// Where that could not be written, the next start fails as this one did and tries again.
void JobMaster::on(RunAbandoned& outcome) {
  if (outcome.written)
    outcome.cause.what +=
        "; the earlier run of the job is kept: without --restart it goes on with that one";
  else
    log::Event(log::Level::kWarning, "RunNotAbandoned")
        .field("reason", outcome.written.error().to_string());
  end({JobEnd::Kind::kFailed, std::move(outcome.cause)});
}

// ---- Failover ----

void JobMaster::tell_failover(const failover::Input& input) {
  if (phase_ == Phase::kEnded) return;
  for (auto& output : failover_.step(input)) std::visit([this](auto& o) { perform(o); }, output);
}

void JobMaster::perform(failover::CancelAll& output) {
  // What ends the job is told by whoever reports its end.
  log::Event event(output.then_restarts ? log::Level::kWarning : log::Level::kInfo, "Stopping");
  event.field("attempt", attempt_.value);
  if (output.cause) event.field("cause", output.cause->to_string());
  phase_ = Phase::kRunning;
  is_stopping_ = true;
  is_settled_ = !coordinator_;
  tell_tasks(rpc::CancelTasks{attempt_});
  if (coordinator_) tell_coordinator(checkpoint::Stopped{now()});
  stopped_when_still();
}

void JobMaster::perform(failover::RestoreAndRestart& output) {
  parts_.metrics.metric("job.restarts").add(1);
  if (coordinator_) tell_coordinator(checkpoint::Restarted{output.attempt, now()});
  deploy(output.attempt);
}

void JobMaster::perform(failover::WakeAt& output) { failover_at_ = output.when; }
void JobMaster::perform(failover::FailJob& output) {
  if (!is_provisional_) return end({JobEnd::Kind::kFailed, std::move(output.root_cause)});
  phase_ = Phase::kAbandoning;
  records_.submit([this, cause = std::move(output.root_cause)] {
    auto written = parts_.store->write(ha::AbandonRun{});
    mailbox_.post(Letter(RunAbandoned{std::move(written), cause}));
  });
}
void JobMaster::perform(failover::JobCancelled&) { end({JobEnd::Kind::kCancelled, std::nullopt}); }
void JobMaster::perform(failover::JobSuspended&) { end({JobEnd::Kind::kSuspended, std::nullopt}); }

void JobMaster::perform(failover::ReportFailure& output) {
  const auto& [vertex, subtask, attempt] = output.execution;
  log::Event(log::Level::kWarning, "FailedWhileStopping")
      .field("task", parts_.graph.vertex(vertex).name + "[" + std::to_string(subtask.value) + "]")
      .field("error", output.error.to_string());
}

}  // namespace weir::jobmaster
