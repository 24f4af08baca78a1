#include "weir/jobmaster/job_master.h"

#include <algorithm>

#include "weir/base/log.h"
#include "weir/storage/api/checkpoint_names.h"
#include "weir/storage/api/metadata.h"

namespace weir::jobmaster {
namespace {

constexpr Duration kRecordAgainAfter = Duration::seconds(1);
constexpr AttemptId kFirstAttempt{1};

std::string pointer_path(JobId job, CheckpointId id) { return job.to_hex() + "/" + storage::metadata_name(id); }

}  // namespace

JobMaster::JobMaster(JobMasterParts parts)
    : parts_(std::move(parts)),
      failover_(parts_.restart, kFirstAttempt),
      records_(parts_.env.io),
      discards_(parts_.env.io) {
  if (parts_.storage) coordinator_.emplace(parts_.checkpoints, plan());
  for (const auto& checkpoint : parts_.retained)
    retained_.push_back({checkpoint.id, pointer_path(parts_.job, checkpoint.id)});
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
  for (auto& letter : mailbox_.take()) std::visit([this](auto& l) { on(l); }, letter);
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
  parts_.tasks.tell(rpc::DeployTasks{attempt, from ? std::optional(from->id) : std::nullopt, *std::move(tasks)});
}

// ---- Letters ----

void JobMaster::on(rpc::ToJobMaster& message) {
  std::visit([this](auto& m) { on(m); }, message);
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
  if (!coordinator_) return request.answer(Error{Code::kInvalid, "triggering a checkpoint: the job takes none"});
  const auto id = next_request_++;
  requests_[id] = std::move(request.answer);
  tell_coordinator(checkpoint::ManualTrigger{{id}, now()});
}

bool JobMaster::is_current(ExecutionId execution) const { return tasks_.contains(execution); }

void JobMaster::on(rpc::TaskRunning& message) {
  if (!is_current(message.execution)) return;
  if (++running_ == tasks_.size()) log::Event(log::Level::kInfo, "Running").field("attempt", attempt_.value);
  tell_coordinator(checkpoint::TaskRunning{message.execution, now()});
}

void JobMaster::on(rpc::TaskAtEnd& message) {
  if (is_current(message.execution)) tell_coordinator(checkpoint::ReachedEnd{message.execution, now()});
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
  in_progress_[message.id].bytes += message.timings.bytes;
  tell_coordinator(checkpoint::Acked{message.id, message.execution, std::move(message.snapshot), now()});
}

void JobMaster::on(rpc::CheckpointDeclined& message) {
  tell_coordinator(checkpoint::Declined{message.id, message.execution, message.reason, message.detail, now()});
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

// The result is durable before anything that it makes superfluous is deleted: nobody restores a run that is FINISHED.
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
  const auto above_all = CheckpointId{parts_.store->record().ids_reserved.value + 1};
  if (auto swept = parts_.storage->sweep({}, above_all); !swept)
    log::Event(log::Level::kWarning, "LeftoverNotRemoved").field("reason", swept.error().what);
}

// A disk that takes no result must not keep the process. Started again, the job finds its final checkpoint.
void JobMaster::suspend_recording() {
  suspend_wanted_ = true;
  if (record_at_ != Instant::never()) end({JobEnd::Kind::kSuspended, std::nullopt});
}

void JobMaster::on(ResultWritten& outcome) {
  const auto& written = outcome.written;
  switch (written.fate()) {
    case Fate::kDurable: return end({JobEnd::Kind::kFinished, std::nullopt});
    case Fate::kSyncFailed: return end({JobEnd::Kind::kStopped, written.error()});
    case Fate::kAbsent:
    case Fate::kUnknown:
      if (written.error().code == Code::kRefused) return end({JobEnd::Kind::kStopped, written.error()});
      log::Event(log::Level::kWarning, "ResultNotRecorded").field("reason", written.error().to_string());
      if (suspend_wanted_) return end({JobEnd::Kind::kSuspended, std::nullopt});
      record_at_ = now() + kRecordAgainAfter;
      return;
  }
}

void JobMaster::end(JobEnd how) {
  phase_ = Phase::kEnded;
  end_ = std::move(how);
}

// ---- The coordinator ----

void JobMaster::tell_coordinator(const checkpoint::Input& input) {
  if (!coordinator_ || phase_ == Phase::kEnded) return;
  for (auto& output : coordinator_->step(input)) std::visit([this](auto& o) { perform(o); }, output);
}

void JobMaster::perform(checkpoint::ReserveIds& output) {
  records_.submit([this, up_to = output.up_to] {
    auto written = parts_.store->write(ha::ReserveIds{up_to});
    Status status;
    if (!written) status = written.error().during("reserving checkpoint ids");
    mailbox_.post(Letter(checkpoint::Input(checkpoint::IdsReserved{up_to, std::move(status), now()})));
  });
}

void JobMaster::perform(checkpoint::Trigger& output) {
  const auto id = output.barrier.id;
  in_progress_[id].triggered_at = now();
  log::Event(log::Level::kInfo, "CheckpointTriggered").field("checkpoint", id.value).field("phase", "cut");
  parts_.tasks.tell(rpc::TriggerCheckpoint{attempt_, output.barrier, std::move(output.tasks)});
}

void JobMaster::perform(checkpoint::Publish& output) {
  const auto id = output.checkpoint.id;
  log::Event(log::Level::kInfo, "CheckpointPublishing").field("checkpoint", id.value).field("phase", "publish");
  ha::MovePointer move{.newest = {id, pointer_path(parts_.job, id)}, .retained = retained_};
  const auto keep = std::min<std::size_t>(move.retained.size(), parts_.checkpoints.retained - 1);
  move.retained.resize(keep);
  records_.submit([this, id, move = std::move(move), checkpoint = std::move(output.checkpoint)] {
    auto written = parts_.storage->publish(id, storage::encode_metadata(checkpoint));
    // Whatever became of the file, no pointer names it.
    if (!written) written = Written::absent(written.error());
    if (written) written = parts_.store->write(move);
    const auto detail = written ? std::string() : written.error().to_string();
    mailbox_.post(Letter(checkpoint::Input(checkpoint::Published{id, written.fate(), detail, now()})));
  });
}

void JobMaster::perform(checkpoint::ReadBack& output) {
  records_.submit([this, id = output.id] {
    const auto written = ha::pointer_fate(*parts_.store, parts_.store->read_back(), id);
    const auto detail = written ? std::string() : written.error().to_string();
    // A read that had to sync and could not says as much as a publication that could not.
    if (written.fate() == Fate::kSyncFailed)
      mailbox_.post(Letter(checkpoint::Input(checkpoint::Published{id, written.fate(), detail, now()})));
    else
      mailbox_.post(Letter(checkpoint::Input(checkpoint::ReadBackDone{id, written.fate(), detail, now()})));
  });
}

void JobMaster::perform(checkpoint::NotifyComplete& output) {
  const auto progress = in_progress_[output.id];
  in_progress_.erase(in_progress_.begin(), in_progress_.upper_bound(output.id));
  const auto took = now() - progress.triggered_at;
  parts_.metrics.metric("checkpoint.completed").add(1);
  parts_.metrics.metric("checkpoint.last_id").set(output.id.value);
  parts_.metrics.metric("checkpoint.last_bytes").set(progress.bytes);
  parts_.metrics.metric("checkpoint.last_duration_us").set(static_cast<std::uint64_t>(took.ns) / 1000);
  log::Event(log::Level::kInfo, "CheckpointComplete")
      .field("checkpoint", output.id.value)
      .field("bytes", progress.bytes)
      .field("ms", took.to_millis())
      .field("phase", "commit");
  retained_.insert(retained_.begin(), {output.id, pointer_path(parts_.job, output.id)});
  retained_.resize(std::min<std::size_t>(retained_.size(), parts_.checkpoints.retained));
  parts_.tasks.tell(rpc::CheckpointCompleted{attempt_, output.id, output.last_subsumed});
}

void JobMaster::perform(checkpoint::NotifyAborted& output) {
  in_progress_.erase(output.id);
  parts_.metrics.metric("checkpoint.aborted").add(1);
  log::Event(log::Level::kWarning, "CheckpointAborted")
      .field("checkpoint", output.id.value)
      .field("reason", checkpoint::failure_sentence(output.reason, output.detail));
  parts_.tasks.tell(rpc::CheckpointAborted{attempt_, output.id, output.latest_complete});
}

void JobMaster::perform(checkpoint::Discard& output) {
  discards_.submit([this, discard = std::move(output)] {
    using What = checkpoint::Discard::What;
    const auto done = discard.what == What::kLate ? parts_.storage->remove(discard.files)
                                                  : parts_.storage->discard(discard.id, discard.files);
    if (!done)
      log::Event(log::Level::kWarning, "LeftoverNotRemoved")
          .field("checkpoint", discard.id.value)
          .field("reason", done.error().what);
    mailbox_.post(Letter(checkpoint::Input(checkpoint::Discarded{discard.id, now()})));
  });
}

void JobMaster::perform(checkpoint::WakeAt& output) { coordinator_at_ = output.when; }

void JobMaster::perform(checkpoint::FailJob& output) {
  tell_failover(failover::JobFailed{attempt_, std::move(output.error), now()});
}

void JobMaster::perform(checkpoint::StopJobMaster& output) {
  end({JobEnd::Kind::kStopped, Error{Code::kUnavailable, std::move(output.why)}});
}

void JobMaster::perform(checkpoint::AnswerManual& output) {
  const auto request = requests_.find(output.request.value);
  if (request == requests_.end()) return;
  const auto answer = std::move(request->second);
  requests_.erase(request);
  answer(output.result);
}

void JobMaster::perform(checkpoint::Settled&) {
  is_settled_ = true;
  stopped_when_still();
  finish_when_settled();
}

// ---- Failover ----

void JobMaster::tell_failover(const failover::Input& input) {
  if (phase_ == Phase::kEnded) return;
  for (auto& output : failover_.step(input)) std::visit([this](auto& o) { perform(o); }, output);
}

void JobMaster::perform(failover::CancelAll&) {
  log::Event event(log::Level::kWarning, "Stopping");
  event.field("attempt", attempt_.value);
  if (failover_.root_cause()) event.field("cause", failover_.root_cause()->to_string());
  phase_ = Phase::kRunning;
  is_stopping_ = true;
  is_settled_ = !coordinator_;
  parts_.tasks.tell(rpc::CancelTasks{attempt_});
  if (coordinator_) tell_coordinator(checkpoint::Stopped{now()});
  stopped_when_still();
}

void JobMaster::perform(failover::RestoreAndRestart& output) {
  parts_.metrics.metric("job.restarts").add(1);
  if (coordinator_) tell_coordinator(checkpoint::Restarted{output.attempt, now()});
  deploy(output.attempt);
}

void JobMaster::perform(failover::WakeAt& output) { failover_at_ = output.when; }
void JobMaster::perform(failover::FailJob& output) { end({JobEnd::Kind::kFailed, std::move(output.root_cause)}); }
void JobMaster::perform(failover::JobCancelled&) { end({JobEnd::Kind::kCancelled, std::nullopt}); }
void JobMaster::perform(failover::JobSuspended&) { end({JobEnd::Kind::kSuspended, std::nullopt}); }

// ---- The plan ----

checkpoint::CheckpointPlan JobMaster::plan() const {
  checkpoint::CheckpointPlan plan{.job = parts_.job, .epoch = parts_.epoch, .vertices = {}};
  const auto& graph = parts_.graph;
  for (const auto& vertex : graph.vertices) {
    checkpoint::PlannedVertex planned{.id = vertex.id, .name = vertex.name, .parallelism = vertex.scale.parallelism};
    for (const auto& edge : graph.edges) {
      if (edge.to != vertex.id) continue;
      const bool is_forward = graph.stream_edge(edge).partitioning == graph::Partitioning::kForward;
      planned.inputs.push_back(
          {edge.from, is_forward ? checkpoint::EdgeShape::kForward : checkpoint::EdgeShape::kAllToAll});
    }
    for (const auto node : vertex.chain)
      planned.operators.push_back({.id = graph::operator_id_of(graph.stream, node),
                                   .uid = graph.stream.node(node).uid,
                                   .name = graph.stream.node(node).name,
                                   .max_parallelism = vertex.scale.max_parallelism});
    plan.vertices.push_back(std::move(planned));
  }
  return plan;
}

}  // namespace weir::jobmaster
