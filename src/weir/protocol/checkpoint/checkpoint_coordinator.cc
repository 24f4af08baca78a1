#include "weir/protocol/checkpoint/checkpoint_coordinator.h"

#include <algorithm>
#include <utility>

#include "weir/base/check.h"
#include "weir/base/mutant.h"

namespace weir::checkpoint {

CheckpointCoordinator::CheckpointCoordinator(const CheckpointOptions& options, CheckpointPlan plan)
    : options_(options),
      plan_(std::move(plan)),
      roster_(plan_),
      decider_(options),
      failures_(options.tolerable_failures),
      store_(options.retained) {}

std::vector<Output> CheckpointCoordinator::step(const Input& input) {
  if (phase_ == Phase::kHalted) return {};
  std::visit(
      [this](const auto& event) {
        now_ = std::max(now_, event.now);
        on(event);
      },
      input);
  if (phase_ == Phase::kRunning) trigger_what_is_due();
  if (phase_ != Phase::kHalted) announce_wake();
  return std::exchange(out_, {});
}

// ---- The life of the job ----

void CheckpointCoordinator::on(const Started& event) {
  WEIR_CHECK(phase_ == Phase::kIdle);
  started_at_ = event.now;
  started_at_wall_ = event.wall;
  store_.begin(event.retained);
  const CheckpointId newest = store_.newest_id().value_or(CheckpointId{});
  ids_.begin(event.reserved_up_to,
             std::max({newest, event.restored.value_or(CheckpointId{}), event.newest_seen}));
  begin_attempt(event.attempt,
                event.restored ? TriggerDecider::Start::kRestored : TriggerDecider::Start::kFresh);
  reserve_ids();
}

void CheckpointCoordinator::on(const Stopped&) {
  if (phase_ == Phase::kIdle || phase_ == Phase::kStopped) return;
  phase_ = Phase::kStopped;
  for (const auto request : decider_.end()) refuse(request, FailureReason::kSuspending);
  for (const auto id : pending_.open()) abort(id, FailureReason::kSuspending, {});
  settle();
}

void CheckpointCoordinator::on(const Restarted& event) {
  // What is restored must not be outrun by a publication that was under way (CK-16).
  WEIR_CHECK(phase_ == Phase::kStopped);
  WEIR_CHECK(settled_);
  begin_attempt(event.attempt, TriggerDecider::Start::kRestored);
}

void CheckpointCoordinator::begin_attempt(AttemptId attempt, TriggerDecider::Start start) {
  phase_ = Phase::kRunning;
  settled_ = false;
  start_ = start;
  schedule_begun_ = false;
  roster_.begin(attempt);
  expect_final();
}

void CheckpointCoordinator::settle() {
  if (phase_ != Phase::kStopped || pending_.sealed()) return;
  settled_ = true;
  out_.emplace_back(Settled{store_.newest_id()});
}

// ---- What the Subtasks say ----

void CheckpointCoordinator::on(const TaskRunning& event) {
  if (roster_.is_current(event.execution)) roster_.on_running(task_of(event.execution));
}

void CheckpointCoordinator::on(const ReachedEnd& event) {
  if (!roster_.is_current(event.execution)) return;
  if (roster_.on_reached_end(task_of(event.execution))) expect_final();
}

void CheckpointCoordinator::on(const TaskFinished& event) {
  if (!roster_.is_current(event.execution)) return;
  const auto task = task_of(event.execution);
  if (!roster_.on_finished(task)) return;
  // It will answer no more, and receivers that count on its barrier would wait for ever.
  for (const auto id : pending_.awaiting_all(task))
    abort(id, FailureReason::kTaskClosing, task_name(plan_, task) + " has finished.");
  expect_final();
  if (roster_.anyone_left()) return;
  for (const auto request : decider_.end()) refuse(request, FailureReason::kNotAllTasksRunning);
}

void CheckpointCoordinator::on(const Acked& event) {
  PendingCheckpoint* const pending = counts_for(event);
  if (!pending) {
    std::vector<FileHandle> files;
    append_files(event.snapshot, files);
    if (pending_.was_aborted(event.id) && !files.empty())
      discard({event.id, Discard::What::kLate, std::move(files)});
    return;
  }
  const auto task = task_of(event.execution);
  if (pending->accept(task, event.snapshot) != PendingCheckpoint::Accepted::kYes) return;
  if (event.snapshot.at_end && roster_.on_reached_end(task)) expect_final();
  publish_next();
}

PendingCheckpoint* CheckpointCoordinator::counts_for(const Acked& event) {
  if (mutant(Mutant::kLateAckAccepted))
    if (auto* any = pending_.awaiting(task_of(event.execution))) return any;
  return roster_.is_current(event.execution) ? pending_.find(event.id) : nullptr;
}

void CheckpointCoordinator::on(const Declined& event) {
  const PendingCheckpoint* const pending = pending_.find(event.id);
  if (!pending || pending->sealed() || !roster_.is_current(event.execution)) return;
  std::string detail = task_name(plan_, task_of(event.execution));
  if (!event.detail.empty()) detail += ": " + event.detail;
  abort(event.id, event.reason, detail);
}

void CheckpointCoordinator::expect_final() {
  decider_.want_final(options_.interval && roster_.needs_final());
}

// ---- Triggering ----

void CheckpointCoordinator::on(const ManualTrigger& event) {
  if (phase_ != Phase::kRunning || !roster_.may_trigger())
    return refuse(event.request, FailureReason::kNotAllTasksRunning);
  if (!decider_.ask(event.request)) refuse(event.request, FailureReason::kTooManyRequests);
}

void CheckpointCoordinator::on(const IdsReserved& event) {
  if (event.status) return ids_.on_reserved(event.up_to);
  ids_.on_refused();
  if (phase_ != Phase::kRunning) return;
  // The hands are told, the timer tries again at its next tick, and each failure counts.
  while (const auto decision = decider_.next({.now = now_})) {
    if (decision->request)
      refuse(*decision->request, FailureReason::kIo, event.status.error().what);
    decider_.take(*decision, now_);
  }
  count_failure(failures_.on_failure_without_id(), FailureReason::kIo, event.status.error().what);
}

void CheckpointCoordinator::trigger_what_is_due() {
  if (!roster_.may_trigger()) return;
  if (!std::exchange(schedule_begun_, true)) decider_.begin(now_, start_);
  while (const auto decision =
             decider_.next({.now = now_, .pending = pending_.size(), .cleaning = cleaning_})) {
    if (!ids_.available()) return reserve_ids();
    decider_.take(*decision, now_);
    trigger(*decision);
  }
}

void CheckpointCoordinator::trigger(const TriggerDecider::Decision& decision) {
  const CheckpointBarrier barrier{
      .id = ids_.take(),
      .triggered_at = {started_at_wall_.unix_ms + (now_ - started_at_).to_millis()},
      .target = {}};
  pending_.add(PendingCheckpoint({.barrier = barrier,
                                  .deadline = now_ + options_.timeout,
                                  .request = decision.request,
                                  .awaited = roster_.unfinished(),
                                  .finished = roster_.finished()}));
  out_.emplace_back(Trigger{barrier, roster_.to_trigger()});
  reserve_ids();
}

void CheckpointCoordinator::reserve_ids() {
  if (const auto up_to = ids_.take_reservation()) out_.emplace_back(ReserveIds{*up_to});
}

void CheckpointCoordinator::on(const TimerFired&) {
  announced_ = Instant::never();
  for (const auto id : pending_.expired(now_)) {
    const PendingCheckpoint& late = *pending_.find(id);
    abort(id, FailureReason::kExpired,
          std::to_string(late.missing().size()) + " of " + std::to_string(late.awaited()) +
              " subtasks did not acknowledge: " + task_names(plan_, late.missing()));
  }
  if (read_back_at_ <= now_) {
    read_back_at_ = Instant::never();
    out_.emplace_back(ReadBack{pending_.sealed()->id()});
  }
}

void CheckpointCoordinator::announce_wake() {
  const auto when = earliest_wake();
  if (when == Instant::never() || when == announced_) return;
  announced_ = when;
  out_.emplace_back(WakeAt{when});
}

Instant CheckpointCoordinator::earliest_wake() const {
  Instant when = std::min(read_back_at_, pending_.earliest_deadline());
  if (phase_ == Phase::kRunning && roster_.may_trigger())
    when = std::min(when, decider_.next_tick(now_));
  return when;
}

// ---- Ending ----

void CheckpointCoordinator::publish_next() {
  if (pending_.sealed()) return;
  PendingCheckpoint* const next = pending_.acknowledged();
  if (!next) return;
  next->seal();  // From here on only its fate can end it: no timeout, no abort.
  out_.emplace_back(Publish{next->content(plan_)});
}

void CheckpointCoordinator::on(const Published& event) {
  resolve(event.id, event.fate, event.detail);
}

void CheckpointCoordinator::on(const ReadBackDone& event) {
  WEIR_CHECK(event.fate != Fate::kSyncFailed);
  if (event.fate == Fate::kUnknown) {
    read_back_at_ = now_ + kReadBackPause;
    return;
  }
  resolve(event.id, event.fate, event.detail);
}

void CheckpointCoordinator::resolve(CheckpointId id, Fate fate, const std::string& detail) {
  WEIR_CHECK(pending_.sealed() != nullptr);
  WEIR_CHECK(pending_.sealed()->id() == id);
  read_back_at_ = Instant::never();
  switch (fate) {
    case Fate::kUnknown:
      // Guessing would lose data one way or the other.
      out_.emplace_back(ReadBack{id});
      return;
    case Fate::kSyncFailed:
      phase_ = Phase::kHalted;
      out_.emplace_back(
          StopJobMaster{"publishing checkpoint " + std::to_string(id.value) +
                        ": syncing failed, so what is on disk is unknown: " + detail});
      return;
    case Fate::kAbsent:
      abort(id, FailureReason::kFinalize, detail);
      break;
    case Fate::kDurable:
      complete(id);
      break;
  }
  publish_next();
  settle();
}

void CheckpointCoordinator::complete(CheckpointId id) {
  const auto pending = pending_.complete(id);
  if (phase_ != Phase::kStopped)
    for (const auto& task : pending.at_end()) roster_.on_covered(task);
  auto subsumed = store_.add(pending.content(plan_));
  failures_.on_success(id);
  decider_.on_completed(now_);
  for (const auto older : pending_.open_below(id)) abort(older, FailureReason::kSubsumed, {});
  out_.emplace_back(
      NotifyComplete{id, subsumed.empty() ? std::nullopt : std::optional(subsumed.back().id)});
  for (const auto& old : subsumed) discard({old.id, Discard::What::kCompleted, old.files()});
  if (pending.request()) out_.emplace_back(AnswerManual{*pending.request(), id});
  expect_final();
}

void CheckpointCoordinator::abort(CheckpointId id, FailureReason reason,
                                  const std::string& detail) {
  const auto pending = pending_.abort(id);
  out_.emplace_back(NotifyAborted{id, store_.newest_id(), reason, detail});
  discard({id, Discard::What::kAborted, pending.files()});
  if (pending.request()) refuse(*pending.request(), reason, detail);
  if (is_counted(reason) && phase_ == Phase::kRunning)
    count_failure(failures_.on_failure(id), reason, detail);
}

void CheckpointCoordinator::count_failure(bool one_too_many, FailureReason reason,
                                          const std::string& detail) {
  if (!one_too_many) return;
  phase_ = Phase::kFailing;
  out_.emplace_back(FailJob{
      {Code::kUnavailable,
       "Exceeded checkpoint tolerable failure threshold. The latest checkpoint failed due to " +
           failure_sentence(reason, detail)}});
}

void CheckpointCoordinator::refuse(RequestId request, FailureReason reason,
                                   const std::string& detail) {
  out_.emplace_back(AnswerManual{
      request,
      Error{Code::kUnavailable, "triggering a checkpoint: " + failure_sentence(reason, detail)}});
}

void CheckpointCoordinator::discard(Discard discard) {
  ++cleaning_;
  out_.emplace_back(std::move(discard));
}

void CheckpointCoordinator::on(const Discarded&) {
  WEIR_CHECK(cleaning_ > 0);
  --cleaning_;
}

}  // namespace weir::checkpoint
