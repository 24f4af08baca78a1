#include "weir/protocol/commit/commit_ledger.h"

#include <algorithm>
#include <utility>

#include "weir/base/check.h"
#include "weir/base/mutant.h"

namespace weir::commit {
namespace {

std::string number(CheckpointId id) { return std::to_string(id.value); }

std::string attempt_of(const Restored& event) {
  return event.restored ? "restoring checkpoint " + number(*event.restored)
                        : "starting without a checkpoint";
}

// Whether the state, what is visible outside, and the user's wish go together.
Status check(const Restored& event) {
  const auto restored = event.restored.value_or(CheckpointId{});
  for (const auto& committable : event.pending)
    if (committable.checkpoint > restored)
      return Error{Code::kCorrupt, attempt_of(event) + ": its state holds output of checkpoint " +
                                       number(committable.checkpoint) + ": " + committable.what};
  const auto visible = event.outside.highest_visible;
  if (visible && *visible > restored && event.rewind == Rewind::kRefused)
    return Error{Code::kRefused, attempt_of(event) + ", but checkpoint " + number(*visible) +
                                     " is already visible outside: what came between would be "
                                     "written twice; start with --rewind-output to replace it"};
  if (event.outside.keeps_marker && event.known_committed &&
      visible.value_or(CheckpointId{}) < *event.known_committed)
    return Error{Code::kCorrupt,
                 attempt_of(event) + ": checkpoint " + number(*event.known_committed) +
                     " is known to be committed, but the marker outside says " +
                     (visible ? number(*visible) : "nothing") + ": committed output is gone"};
  return ok();
}

}  // namespace

std::vector<Output> CommitLedger::step(const Input& input) {
  if (failed_) return {};
  std::visit(
      [this](const auto& event) {
        now_ = std::max(now_, event.now);
        on(event);
      },
      input);
  if (!failed_) commit_what_is_due();
  return std::exchange(out_, {});
}

LedgerSnapshot CommitLedger::snapshot() const {
  return {.pending = {pending_.begin(), pending_.end()}, .known_committed = known_committed_};
}

void CommitLedger::on(const Restored& event) {
  if (const auto status = check(event); !status) {
    failed_ = true;
    out_.emplace_back(Fail{status.error()});
    return;
  }
  complete_up_to_ = event.restored.value_or(CheckpointId{});
  known_committed_ = event.known_committed;
  if (mutant(Mutant::kCommitForgottenAfterRestore)) return;
  pending_.insert(event.pending.begin(), event.pending.end());
}

void CommitLedger::on(const Staged& event) {
  WEIR_CHECK(event.id > complete_up_to_);
  for (const auto& committable : event.committables) WEIR_CHECK(committable.checkpoint == event.id);
  pending_.insert(event.committables.begin(), event.committables.end());
  if (mutant(Mutant::kCommitBeforeCompletion)) complete_up_to_ = event.id;
}

void CommitLedger::on(const CheckpointComplete& event) {
  complete_up_to_ = std::max(complete_up_to_, event.id);
}

void CommitLedger::on(const EndedWithoutCheckpoints& event) {
  pending_.insert(event.committables.begin(), event.committables.end());
  all_due_ = true;
}

void CommitLedger::on(const TimerFired&) { announced_ = Instant::never(); }

void CommitLedger::on(const CommitDone& event) {
  WEIR_CHECK(!batch_.empty());
  WEIR_CHECK(event.batch.value + 1 == next_batch_.value);
  settle(batch_.size());
}

void CommitLedger::on(const CommitFailed& event) {
  WEIR_CHECK(!batch_.empty());
  WEIR_CHECK(event.batch.value + 1 == next_batch_.value);
  WEIR_CHECK(event.committed < batch_.size());
  const auto& at = batch_[event.committed];
  const auto error =
      event.error.during("committing " + at.what + " of checkpoint " + number(at.checkpoint));
  settle(event.committed);
  if (is_for_good(error.code)) {
    failed_ = true;
    out_.emplace_back(Fail{error});
    return;
  }
  retry_at_ = now_ + backoff_;
  backoff_ = std::min(backoff_ * 2, kLongestBackoff);
}

void CommitLedger::settle(std::size_t count) {
  if (count != 0) {
    const auto newest = batch_[count - 1].checkpoint;
    known_committed_ = std::max(known_committed_.value_or(newest), newest);
    backoff_ = kFirstBackoff;
  }
  for (std::size_t i = 0; i != count; ++i) pending_.erase(batch_[i]);
  batch_.clear();
}

void CommitLedger::commit_what_is_due() {
  if (!batch_.empty()) return;
  const auto end = std::find_if(pending_.begin(), pending_.end(), [this](const auto& committable) {
    return !all_due_ && committable.checkpoint > complete_up_to_;
  });
  if (end == pending_.begin()) return;
  if (now_ < retry_at_) {
    if (std::exchange(announced_, retry_at_) != retry_at_) out_.emplace_back(WakeAt{retry_at_});
    return;
  }
  batch_.assign(pending_.begin(), end);
  out_.emplace_back(Commit{{next_batch_.value++}, batch_});
}

}  // namespace weir::commit
