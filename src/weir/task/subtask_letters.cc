#include "weir/task/subtask.h"

#include "weir/base/error_exception.h"

namespace weir::task {

// A letter is off the list before it is handled: where that throws, the others are still there.
void Subtask::take_letters() {
  mailbox_.take(letters_);
  if (letters_.is_empty()) return;
  while (!letters_.is_empty()) {
    auto letter = letters_.pop();
    moves_.add(1);
    if (is_for_later(letter)) {
      early_.push(std::move(letter));
    } else {
      std::visit([this](auto& l) { on(l); }, letter);
    }
  }
  if (is_live()) check_health();
}

// While the operators are being opened, on another thread, nothing may speak to them.
bool Subtask::is_for_later(const Letter& letter) const {
  if (phase_ != Phase::kOpening) return false;
  return !std::holds_alternative<Opened>(letter) && !std::holds_alternative<BarrierDue>(letter) &&
         !std::holds_alternative<Cancel>(letter);
}

void Subtask::check_health() {
  chain_.each([](operators::Operator& op) {
    if (auto health = op.health(); !health) throw ErrorException{health.error()};
  });
}

void Subtask::on(Opened& letter) {
  // Those that came early go before those that came with the end of the opening.
  while (!letters_.is_empty()) early_.push(letters_.pop());
  letters_.swap(early_);
  has_opened_ = letter.status && !parts_.was_finished;
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
      return decline(letter.barrier.id, checkpoint::FailureReason::kTaskNotReady,
                     parts_.name + " is being opened");
    case Phase::kClosing:
      return decline(letter.barrier.id, checkpoint::FailureReason::kTaskClosing,
                     parts_.name + " has finished");
    case Phase::kRunning:
    case Phase::kFinishing:
    case Phase::kAtEnd:
      return act_on(aligner_.on_trigger(letter.barrier, now()));
    case Phase::kFailed:
    case Phase::kCancelling:
    case Phase::kDone:
      return;
  }
}

void Subtask::on(Completed& letter) { completed(letter.id); }

void Subtask::on(Aborted& letter) {
  aligner_.on_aborted(letter.id);
  for (auto& outgoing : outgoing_)
    if (const auto* barrier = std::get_if<CheckpointBarrier>(&outgoing.element))
      outgoing.is_aborted = outgoing.is_aborted || barrier->id == letter.id;
  drop_upload(letter.id);
  if (is_live()) chain_.each([&](operators::Operator& op) { op.on_checkpoint_aborted(letter.id); });
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
  if (phase_ != Phase::kRunning) return;
  chain_.turn_to(0);
  chain_.op(0).on_hint(letter.from, letter.bytes);
}

void Subtask::on(Uploaded& letter) {
  uploads_.erase(letter.id);
  auto [cut_at, timings] = cuts_[letter.id];
  cuts_.erase(letter.id);
  if (phase_ == Phase::kFailed || phase_ == Phase::kCancelling) return;
  if (!letter.snapshot) {
    // Cancelled is our own word: the coordinator knows already.
    if (letter.snapshot.error().code == Code::kCancelled) return;
    return decline(letter.id, checkpoint::FailureReason::kAsyncException,
                   letter.snapshot.error().to_string());
  }
  timings.upload = now() - cut_at;
  timings.bytes = letter.bytes;
  parts_.job_master.tell(rpc::CheckpointAcknowledged{letter.id, parts_.execution,
                                                     *std::move(letter.snapshot), timings});
}

void Subtask::on(Call& letter) {
  chain_.turn_to(letter.op);
  letter.function();
}

void Subtask::completed(CheckpointId id) {
  if (newest_complete_ >= id || !is_live()) return;
  newest_complete_ = id;
  chain_.each([&](operators::Operator& op) { op.on_checkpoint_complete(id); });
  state_.complete(id);
}

}  // namespace weir::task
