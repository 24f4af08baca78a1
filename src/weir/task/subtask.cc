#include "weir/task/subtask.h"

#include <algorithm>

#include "weir/base/error_exception.h"
#include "weir/base/log.h"

namespace weir::task {

using operators::Progress;

namespace {

// Nobody would come back to fill the batches that are open: not the Subtask, and its consumers
// cannot ask.
bool has_nothing_to_do(Standing standing) {
  return standing == Standing::kWaitsForInput || standing == Standing::kWaitsForLetter;
}

}  // namespace

Standing standing_of(Progress progress) {
  switch (progress) {
    case Progress::kDone:
    case Progress::kMore:
      return Standing::kReady;
    case Progress::kBlockedOnOutput:
      return Standing::kWaitsForOutput;
    case Progress::kBlockedOnState:
      return Standing::kWaitsForStaging;
    case Progress::kBlockedOnLetter:
      return Standing::kWaitsForLetter;
  }
  return Standing::kReady;
}

std::string_view standing_name(Standing standing) {
  switch (standing) {
    case Standing::kOpening:
      return "opening";
    case Standing::kReady:
      return "ready";
    case Standing::kWaitsForInput:
      return "waits for input";
    case Standing::kWaitsForOutput:
      return "waits for room in its output";
    case Standing::kWaitsForStaging:
      return "waits for room in the staging area";
    case Standing::kWaitsForLetter:
      return "waits for its source";
    case Standing::kWaitsForCheckpoint:
      return "waits for its final checkpoint";
    case Standing::kWaitsForCommit:
      return "waits for its output to be committed";
    case Standing::kFailed:
      return "failed";
    case Standing::kCancelling:
      return "waits for its I/O to end";
    case Standing::kDone:
      return "done";
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
      resumed_calls_(parts_.metrics.metric("subtask." + parts_.name + ".resumed_calls")),
      inner_batches_(parts_.metrics.metric("subtask." + parts_.name + ".inner_batches")),
      staging_waits_(parts_.metrics.metric("subtask." + parts_.name + ".staging_waits")),
      source_done_(parts_.metrics.metric("subtask." + parts_.name + ".source_done")),
      source_total_(parts_.metrics.metric("subtask." + parts_.name + ".source_total")),
      records_read_(parts_.metrics.metric("subtask." + parts_.name + ".records_read")),
      aligner_(gate_.channel_count()),
      data_ended_(gate_.channel_count()),
      open_channels_(parts_.input_count) {
  for (std::uint32_t channel = 0; channel != gate_.channel_count(); ++channel)
    ++open_channels_[gate_.input_of(channel)];
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
      } catch (...) {
        status = caught_error().during("opening " + parts_.name);
      }
      tell(Opened{std::move(status)});
    });
  }
  mailbox_.wake_with(waker);
}

bool Subtask::is_busy() const {
  if (in_step_.load(std::memory_order_relaxed) || has_uploads_.load(std::memory_order_relaxed))
    return true;
  switch (standing()) {
    case Standing::kOpening:
    case Standing::kWaitsForLetter:
    case Standing::kWaitsForCommit:
    case Standing::kCancelling:
      return true;
    // Others must bring these on, or the executor.
    case Standing::kReady:
    case Standing::kWaitsForInput:
    case Standing::kWaitsForOutput:
    case Standing::kWaitsForStaging:
    case Standing::kWaitsForCheckpoint:
    case Standing::kFailed:
    case Standing::kDone:
      return false;
  }
  return false;
}

env::StepResult Subtask::step() {
  in_step_.store(true, std::memory_order_relaxed);
  auto standing = Standing::kReady;
  try {
    tell_time();
    take_letters();
    standing = run();
  } catch (...) {
    fail(caught_error().during(chain_.blamed()));
  }
  if (standing == Standing::kWaitsForStaging) staging_waits_.add(1);
  standing_.store(standing, std::memory_order_relaxed);
  has_uploads_.store(!uploads_.empty(), std::memory_order_relaxed);
  in_step_.store(false, std::memory_order_relaxed);
  if (standing == Standing::kDone) {
    // Whoever hears this may destroy the Subtask, so nothing of it is touched afterwards.
    auto farewell = *std::move(farewell_);
    parts_.job_master.tell(std::move(farewell));
    return env::StepResult::done();
  }
  return standing == Standing::kReady ? env::StepResult::ready()
                                      : env::StepResult::blocked(wake_at());
}

// ---- Moving ----

Standing Subtask::run() {
  auto standing = Standing::kReady;
  bool has_just_saved = false;
  for (std::uint32_t move = 0; move != parts_.moves_per_step && standing == Standing::kReady;
       ++move) {
    standing = advance();
    if (standing == Standing::kReady) moves_.add(1);
    has_just_saved = is_live() && state_.is_walking() && walk_state();
  }
  if (is_live()) {
    if (phase_ <= Phase::kFinishing)
      chain_.flush(has_nothing_to_do(standing) ? Flush::kAll : Flush::kToIdle);
    process_calls_.set(chain_.process_calls());
    resumed_calls_.set(chain_.resumed_calls());
    inner_batches_.set(chain_.inner_batches());
    const auto share = chain_.op(0).progress();
    source_done_.set(share.done);
    source_total_.set(share.total);
    records_read_.add(share.records - std::exchange(records_told_, share.records));
  }
  // While there is state to be saved, there is something to do.
  return has_just_saved ? Standing::kReady : standing;
}

Standing Subtask::advance() {
  switch (phase_) {
    case Phase::kOpening:
      return Standing::kOpening;
    case Phase::kFailed:
      return Standing::kFailed;
    case Phase::kDone:
      return Standing::kDone;
    case Phase::kCancelling:
      if (!is_quiet()) return Standing::kCancelling;
      farewell_ = rpc::TaskCancelled{parts_.execution};
      phase_ = Phase::kDone;
      return Standing::kDone;
    default:
      break;
  }
  if (!outgoing_.empty()) return send_outgoing();
  switch (phase_) {
    case Phase::kRunning:
      return advance_running();
    case Phase::kFinishing:
      return advance_finishing();
    default:
      return advance_at_end();
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
      chain_.each([](operators::Operator& op) { op.on_end_without_checkpoint(); });
    }
  }
  if (parts_.has_checkpoints && (!first_cut_at_end_ || newest_complete_ < first_cut_at_end_))
    return Standing::kWaitsForCheckpoint;
  if (!uploads_.empty()) return Standing::kWaitsForCheckpoint;
  // Its producers go first: a barrier of theirs may still be on the way, and needs somebody to take
  // it.
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
    const auto answer = aligner_.on_barrier(*channel, *barrier, now());
    log::Event(log::Level::kDebug, "BarrierArrived")
        .field("task", parts_.name)
        .field("checkpoint", barrier->id.value)
        .field("channel", *channel)
        .field("verdict", alignment::verdict_name(answer.verdict));
    act_on(answer);
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

// ---- The end ----

void Subtask::fail(Error error) {
  if (phase_ == Phase::kFailed || phase_ == Phase::kCancelling || phase_ == Phase::kDone) return;
  log::Event(log::Level::kInfo, "TaskFailed")
      .field("task", parts_.name)
      .field("error", error.to_string());
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
  if (parts_.was_finished) return true;
  for (std::size_t i = 0; i != chain_.size(); ++i)
    if (!chain_.op(i).is_quiet()) return false;
  return true;
}

Instant Subtask::wake_at() const {
  auto earliest = Instant::never();
  if (!is_live()) return earliest;
  for (std::size_t i = 0; i != chain_.size(); ++i)
    earliest = std::min(earliest, chain_.op(i).wake_at());
  return earliest;
}

void Subtask::tell_time() {
  if (wake_at() == Instant::never()) return;
  const auto time = now();
  chain_.each([&](operators::Operator& op) {
    if (op.wake_at() <= time) op.on_time(time);
  });
}

}  // namespace weir::task
