#include "weir/task/subtask.h"

#include <algorithm>

#include "weir/base/error_exception.h"
#include "weir/base/log.h"
#include "weir/base/mutant.h"
#include "weir/storage/api/checkpoint_names.h"

namespace weir::task {

using operators::Progress;

namespace {

// Keyed state saved after each move while a cut is open.
constexpr std::uint64_t kSliceBytes = 64 * 1024;

Standing standing_of(Progress progress) {
  switch (progress) {
    case Progress::kDone:
    case Progress::kMore: return Standing::kReady;
    case Progress::kBlockedOnOutput: return Standing::kWaitsForOutput;
    case Progress::kBlockedOnState: return Standing::kWaitsForStaging;
    case Progress::kBlockedOnLetter: return Standing::kWaitsForLetter;
  }
  return Standing::kReady;
}

}  // namespace

std::string_view standing_name(Standing standing) {
  switch (standing) {
    case Standing::kOpening: return "opening";
    case Standing::kReady: return "ready";
    case Standing::kWaitsForInput: return "waits for input";
    case Standing::kWaitsForOutput: return "waits for room in its output";
    case Standing::kWaitsForStaging: return "waits for room in the staging area";
    case Standing::kWaitsForLetter: return "waits for its source";
    case Standing::kWaitsForCheckpoint: return "waits for its final checkpoint";
    case Standing::kWaitsForCommit: return "waits for its output to be committed";
    case Standing::kFailed: return "failed";
    case Standing::kCancelling: return "waits for its I/O to end";
    case Standing::kDone: return "done";
  }
  return "unknown";
}

Subtask::Subtask(SubtaskParts parts)
    : parts_(std::move(parts)),
      chain_(*parts_.chain),
      gate_(*parts_.gate),
      records_in_(parts_.metrics.metric("subtask." + parts_.name + ".records_in")),
      batches_in_(parts_.metrics.metric("subtask." + parts_.name + ".batches_in")),
      process_calls_(parts_.metrics.metric("subtask." + parts_.name + ".process_calls")),
      source_done_(parts_.metrics.metric("subtask." + parts_.name + ".source_done")),
      source_total_(parts_.metrics.metric("subtask." + parts_.name + ".source_total")),
      records_read_(parts_.metrics.metric("subtask." + parts_.name + ".records_read")),
      aligner_(gate_.channel_count()),
      data_ended_(gate_.channel_count()),
      open_channels_(parts_.input_count) {
  for (std::uint32_t channel = 0; channel != gate_.channel_count(); ++channel) ++open_channels_[gate_.input_of(channel)];
}

Subtask::~Subtask() {
  for (const auto& [id, upload] : uploads_) upload->abandon();
}

void Subtask::start(env::Waker& waker) {
  waker_.store(&waker, std::memory_order_release);
  if (parts_.was_finished) {
    tell(Opened{ok()});
  } else {
    parts_.env.io.submit([this] {
      Status status;
      try {
        status = parts_.open(chain_, state_, *this);
      } catch (const ErrorException& e) {
        status = e.error();
      } catch (const std::exception& e) {
        status = Error{Code::kFailed, "opening " + parts_.name + ": the user's function threw: " + e.what()};
      }
      tell(Opened{std::move(status)});
    });
  }
  mailbox_.wake_with(waker);
}

bool Subtask::is_busy() const {
  if (in_step_.load(std::memory_order_relaxed)) return true;
  switch (standing()) {
    case Standing::kWaitsForInput:
    case Standing::kWaitsForOutput: return false;
    default: return true;
  }
}

env::StepResult Subtask::step() {
  in_step_.store(true, std::memory_order_relaxed);
  auto standing = Standing::kReady;
  try {
    tell_time();
    take_letters();
    standing = run();
  } catch (const ErrorException& e) {
    fail(e.error().during("operator " + chain_.name(chain_.at())));
  } catch (const std::exception& e) {
    fail({Code::kFailed, "operator " + chain_.name(chain_.at()) + ": the user's function threw: " + e.what()});
  } catch (...) {
    fail({Code::kFailed, "operator " + chain_.name(chain_.at()) + ": the user's function threw something that is no "
                         "std::exception"});
  }
  standing_.store(standing, std::memory_order_relaxed);
  in_step_.store(false, std::memory_order_relaxed);
  if (standing == Standing::kDone) {
    // Whoever hears this may destroy the Subtask, so nothing of it is touched afterwards.
    auto farewell = *std::move(farewell_);
    parts_.job_master.tell(std::move(farewell));
    return env::StepResult::done();
  }
  return standing == Standing::kReady ? env::StepResult::ready() : env::StepResult::blocked(wake_at());
}

// ---- Letters ----

void Subtask::take_letters() {
  if (mailbox_.is_empty()) return;
  for (auto& letter : mailbox_.take()) {
    moves_.add(1);
    std::visit([this](auto& l) { on(l); }, letter);
  }
  if (phase_ == Phase::kOpening || phase_ == Phase::kFailed || phase_ == Phase::kCancelling) return;
  for (std::size_t i = 0; i != chain_.size(); ++i)
    if (auto health = chain_.op(i).health(); !health) return fail(health.error().during("operator " + chain_.name(i)));
}

void Subtask::on(Opened& letter) {
  if (cancel_wanted_) {
    begin_cancelling();
  } else if (!letter.status) {
    fail(letter.status.error());
  } else {
    phase_ = parts_.was_finished ? Phase::kClosing : Phase::kRunning;
    if (parts_.was_finished) outgoing_.push_back({stream::EndOfPartition{}});
    parts_.job_master.tell(rpc::TaskRunning{parts_.execution});
  }
}

void Subtask::on(BarrierDue& letter) {
  switch (phase_) {
    case Phase::kOpening:
      return decline(letter.barrier.id, checkpoint::FailureReason::kTaskNotReady, parts_.name + " is being opened");
    case Phase::kClosing:
      return decline(letter.barrier.id, checkpoint::FailureReason::kTaskClosing, parts_.name + " has finished");
    case Phase::kRunning:
    case Phase::kFinishing:
    case Phase::kAtEnd: return act_on(aligner_.on_trigger(letter.barrier, now()));
    case Phase::kFailed:
    case Phase::kCancelling:
    case Phase::kDone: return;
  }
}

void Subtask::on(Completed& letter) { completed(letter.id); }

void Subtask::on(Aborted& letter) {
  aligner_.on_aborted(letter.id);
  for (auto& outgoing : outgoing_)
    if (const auto* barrier = std::get_if<CheckpointBarrier>(&outgoing.element))
      outgoing.is_aborted = outgoing.is_aborted || barrier->id == letter.id;
  drop_upload(letter.id);
  if (phase_ != Phase::kOpening)
    for (std::size_t i = 0; i != chain_.size(); ++i) chain_.op(i).on_checkpoint_aborted(letter.id);
  if (letter.latest_complete) completed(*letter.latest_complete);
}

void Subtask::on(Cancel&) {
  if (phase_ == Phase::kOpening) {
    cancel_wanted_ = true;
  } else if (phase_ != Phase::kDone) {
    begin_cancelling();
  }
}

void Subtask::on(Hint& letter) {
  if (phase_ == Phase::kRunning) chain_.op(0).on_hint(letter.from, letter.bytes);
}

void Subtask::on(Uploaded& letter) {
  uploads_.erase(letter.id);
  auto timings = timings_[letter.id];
  timings_.erase(letter.id);
  if (phase_ == Phase::kFailed || phase_ == Phase::kCancelling) return;
  if (!letter.snapshot) {
    // Cancelled is our own word: the coordinator knows already.
    if (letter.snapshot.error().code == Code::kCancelled) return;
    return decline(letter.id, checkpoint::FailureReason::kAsyncException, letter.snapshot.error().to_string());
  }
  timings.upload = now() - cut_at_;
  timings.bytes = letter.bytes;
  parts_.job_master.tell(
      rpc::CheckpointAcknowledged{letter.id, parts_.execution, *std::move(letter.snapshot), timings});
}

void Subtask::on(Call& letter) { letter.function(); }

void Subtask::completed(CheckpointId id) {
  if (newest_complete_ >= id || phase_ == Phase::kOpening || phase_ == Phase::kFailed ||
      phase_ == Phase::kCancelling)
    return;
  newest_complete_ = id;
  for (std::size_t i = 0; i != chain_.size(); ++i) chain_.op(i).on_checkpoint_complete(id);
  state_.complete(id);
}

// ---- Moving ----

Standing Subtask::run() {
  auto standing = Standing::kReady;
  for (std::uint32_t move = 0; move != parts_.moves_per_step && standing == Standing::kReady; ++move) {
    standing = advance();
    if (standing == Standing::kReady) moves_.add(1);
    if (state_.is_walking()) walk_state();
  }
  if (phase_ == Phase::kRunning || phase_ == Phase::kFinishing) {
    chain_.flush(Flush::kToIdle);
    process_calls_.set(chain_.process_calls());
    const auto share = chain_.op(0).progress();
    source_done_.set(share.done);
    source_total_.set(share.total);
    records_read_.set(share.records);
  }
  // With nothing else to do, the state is saved at full speed.
  if (standing != Standing::kReady && state_.is_walking() && walk_state()) return Standing::kReady;
  return standing;
}

Standing Subtask::advance() {
  switch (phase_) {
    case Phase::kOpening: return Standing::kOpening;
    case Phase::kFailed: return Standing::kFailed;
    case Phase::kDone: return Standing::kDone;
    case Phase::kCancelling:
      if (!is_quiet()) return Standing::kCancelling;
      farewell_ = rpc::TaskCancelled{parts_.execution};
      phase_ = Phase::kDone;
      return Standing::kDone;
    default: break;
  }
  if (!outgoing_.empty()) return send_outgoing();
  switch (phase_) {
    case Phase::kRunning: return advance_running();
    case Phase::kFinishing: return advance_finishing();
    default: return advance_at_end();
  }
}

Standing Subtask::advance_running() {
  if (const auto standing = read_element()) return *standing;
  if (chain_.op(0).is_source()) return produce();
  if (!all_data_ended()) return Standing::kWaitsForInput;
  phase_ = Phase::kFinishing;
  return Standing::kReady;
}

Standing Subtask::produce() {
  const auto progress = chain_.produce();
  if (progress == Progress::kDone) phase_ = Phase::kFinishing;
  return standing_of(progress);
}

Standing Subtask::advance_finishing() {
  if (const auto standing = read_element()) return *standing;
  const auto progress = chain_.finish();
  if (progress == Progress::kDone) outgoing_.push_back({stream::EndOfData{}});
  return standing_of(progress);
}

Standing Subtask::advance_at_end() {
  if (const auto standing = read_element()) return *standing;
  if (!std::exchange(told_end_, true)) {
    if (parts_.has_checkpoints) {
      parts_.job_master.tell(rpc::TaskAtEnd{parts_.execution});
    } else {
      for (std::size_t i = 0; i != chain_.size(); ++i) chain_.op(i).on_end_without_checkpoint();
    }
  }
  if (parts_.has_checkpoints && (!first_cut_at_end_ || newest_complete_ < first_cut_at_end_))
    return Standing::kWaitsForCheckpoint;
  if (!uploads_.empty()) return Standing::kWaitsForCheckpoint;
  // Its producers go first: a barrier of theirs may still be on the way, and needs somebody to take it.
  if (closed_channels_ != gate_.channel_count()) return Standing::kWaitsForInput;
  for (std::size_t i = 0; i != chain_.size(); ++i)
    if (!chain_.op(i).may_finish()) return Standing::kWaitsForCommit;
  if (!is_quiet()) return Standing::kWaitsForCommit;
  phase_ = Phase::kClosing;
  outgoing_.push_back({stream::EndOfPartition{}});
  return Standing::kReady;
}

// The next piece of input, if there is one that may be read.
std::optional<Standing> Subtask::read_element() {
  if (batch_) return process(reading_);
  const auto channel = gate_.next([this](std::uint32_t c) { return aligner_.is_held(c); });
  if (!channel) return std::nullopt;
  auto& element = gate_.front(*channel);
  if (auto* batch = std::get_if<stream::BatchPtr>(&element)) {
    batch_ = std::move(*batch);
    gate_.pop(*channel);
    cursor_ = stream::BatchCursor(*batch_);
    reading_ = *channel;
    records_in_.add(batch_->size());
    batches_in_.add(1);
    return process(*channel);
  }
  const auto control = std::move(element);
  gate_.pop(*channel);
  if (const auto* barrier = std::get_if<CheckpointBarrier>(&control)) {
    act_on(aligner_.on_barrier(*channel, *barrier, now()));
  } else {
    end_of_data(*channel);
    if (std::holds_alternative<stream::EndOfPartition>(control)) {
      ++closed_channels_;
      act_on(aligner_.on_end(*channel, now()));
    }
  }
  return Standing::kReady;
}

Standing Subtask::process(std::uint32_t channel) {
  const auto progress = chain_.process(gate_.input_of(channel), cursor_);
  if (cursor_.is_done()) {
    gate_.give_back(channel, std::move(batch_));
    cursor_ = {};
  }
  return standing_of(progress);
}

void Subtask::end_of_data(std::uint32_t channel) {
  if (data_ended_[channel]) return;
  data_ended_[channel] = true;
  ++data_ended_count_;
  const auto input = gate_.input_of(channel);
  if (--open_channels_[input] == 0) chain_.op(0).on_end_of_input(input);
}

// ---- Control elements and the cut ----

void Subtask::act_on(const alignment::Answer& answer) {
  if (answer.abandoned)
    decline(*answer.abandoned, checkpoint::FailureReason::kDeclinedSubsumed, parts_.name + " met a newer barrier");
  if (answer.verdict == alignment::Verdict::kSnapshot) outgoing_.push_back({aligner_.barrier()});
}

Standing Subtask::send_outgoing() {
  if (const auto progress = chain_.drain(); progress != Progress::kDone) return standing_of(progress);
  auto& next = outgoing_.front();
  if (!chain_.flush(Flush::kAll)) {
    if (!std::exchange(next.is_delayed, true) && std::holds_alternative<CheckpointBarrier>(next.element))
      log::Event(log::Level::kDebug, "BarrierWaits").field("task", parts_.name);
    return Standing::kWaitsForOutput;
  }
  const bool is_sent = std::visit([this](const auto& element) { return chain_.broadcast(element); }, next.element);
  if (!is_sent) return Standing::kWaitsForOutput;
  const auto outgoing = std::move(next);
  outgoing_.pop_front();
  if (!outgoing.is_aborted) std::visit([this](const auto& element) { sent(element); }, outgoing.element);
  return Standing::kReady;
}

void Subtask::sent(const CheckpointBarrier& barrier) {
  if (mutant(Mutant::kRecordBetweenBarrierAndCut) && phase_ == Phase::kRunning) {
    if (chain_.op(0).is_source()) {
      produce();
    } else if (const auto channel = gate_.next([](std::uint32_t) { return false; });
               channel && std::holds_alternative<stream::BatchPtr>(gate_.front(*channel))) {
      read_element();
    }
  }
  take_cut(barrier);
}

void Subtask::sent(stream::EndOfData) { phase_ = Phase::kAtEnd; }

void Subtask::sent(stream::EndOfPartition) {
  farewell_ = rpc::TaskFinished{parts_.execution};
  phase_ = Phase::kDone;
}

void Subtask::take_cut(const CheckpointBarrier& barrier) {
  const auto id = barrier.id;
  const bool at_end = phase_ == Phase::kAtEnd;
  cut_at_ = now();
  auto upload = std::make_shared<SnapshotUpload>(
      *parts_.storage, parts_.env.io, snapshot_operators(id), at_end, [this, id](SnapshotUpload::Outcome outcome) {
        tell(Uploaded{id, std::move(outcome.snapshot), outcome.bytes});
      });
  uploads_.emplace(id, upload);
  if (auto cut = state_.cut(id, upload); !cut) {
    decline(id, checkpoint::FailureReason::kDeclined, cut.error().to_string());
    upload->cancel();
    upload->seal();
    return;
  }
  if (state_.is_empty()) upload->seal();
  if (at_end && !first_cut_at_end_) first_cut_at_end_ = id;
  timings_[id] = {.alignment = aligner_.figures().duration, .cut = now() - cut_at_, .upload = {}};
  log::Event(log::Level::kInfo, "CutTaken")
      .field("task", parts_.name)
      .field("checkpoint", id.value)
      .field("phase", "upload");
}

std::vector<OperatorPart> Subtask::snapshot_operators(CheckpointId id) {
  std::vector<OperatorPart> parts;
  for (std::size_t i = 0; i != chain_.size(); ++i) {
    const auto& context = *parts_.contexts[i];
    storage::DataFile file{.checkpoint = id,
                           .epoch = parts_.epoch,
                           .attempt = parts_.execution.attempt,
                           .op = context.id,
                           .subtask = parts_.execution.subtask,
                           .what = "keyed"};
    OperatorPart part{.id = context.id, .name = chain_.name(i), .keyed_file = data_file_name(file)};
    file.what = "lists";
    part.list_file = data_file_name(file);
    part.work = chain_.op(i).snapshot(id);
    if (const auto* backend = state_.backend_of(i)) {
      part.keyed = state::SnapshotHeader{.epoch = parts_.epoch,
                                         .job = parts_.job,
                                         .checkpoint = id,
                                         .operator_id = context.id,
                                         .max_parallelism = context.max_parallelism,
                                         .key_groups = context.key_groups,
                                         .tables = backend->tables()};
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

bool Subtask::walk_state() {
  auto moved = state_.walk(kSliceBytes);
  if (!moved) throw ErrorException{moved.error()};
  if (*moved) moves_.add(1);
  return *moved;
}

void Subtask::decline(CheckpointId id, checkpoint::FailureReason reason, std::string detail) {
  parts_.job_master.tell(rpc::CheckpointDeclined{id, parts_.execution, reason, std::move(detail)});
}

// Its checkpoint will not be: what is under way ends early and is removed.
void Subtask::drop_upload(CheckpointId id) {
  const auto upload = uploads_.find(id);
  if (upload == uploads_.end()) return;
  upload->second->cancel();
  if (state_.abort(id)) upload->second->seal();
}

// ---- The end ----

void Subtask::fail(Error error) {
  if (phase_ == Phase::kFailed || phase_ == Phase::kCancelling || phase_ == Phase::kDone) return;
  log::Event(log::Level::kWarning, "TaskFailed").field("task", parts_.name).field("error", error.to_string());
  phase_ = Phase::kFailed;
  parts_.job_master.tell(rpc::TaskFailed{parts_.execution, std::move(error)});
}

void Subtask::begin_cancelling() {
  phase_ = Phase::kCancelling;
  for (auto& [id, upload] : uploads_) {
    upload->cancel();
    if (state_.abort(id)) upload->seal();
  }
}

bool Subtask::is_quiet() const {
  if (!uploads_.empty()) return false;
  for (std::size_t i = 0; i != chain_.size(); ++i)
    if (!chain_.op(i).is_quiet()) return false;
  return true;
}

Instant Subtask::wake_at() const {
  auto earliest = Instant::never();
  if (phase_ == Phase::kOpening || phase_ == Phase::kFailed) return earliest;
  for (std::size_t i = 0; i != chain_.size(); ++i) earliest = std::min(earliest, chain_.op(i).wake_at());
  return earliest;
}

void Subtask::tell_time() {
  if (wake_at() == Instant::never()) return;
  const auto time = now();
  for (std::size_t i = 0; i != chain_.size(); ++i)
    if (chain_.op(i).wake_at() <= time) chain_.op(i).on_time(time);
}

}  // namespace weir::task
