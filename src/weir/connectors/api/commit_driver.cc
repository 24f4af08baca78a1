#include "weir/connectors/api/commit_driver.h"

#include <algorithm>

#include "weir/base/error_exception.h"
#include "weir/base/log.h"

namespace weir::connectors {

StoredCommittable StoredCommittable::of(const commit::Committable& c) {
  return {.checkpoint = c.checkpoint.value,
          .subtask = c.subtask.value,
          .job = c.job.bytes,
          .sink = c.sink.bytes,
          .epoch = c.epoch.value,
          .what = c.what,
          .length = c.length,
          .checksum = c.checksum};
}

commit::Committable StoredCommittable::unstored() const {
  return {.checkpoint = {checkpoint},
          .subtask = {subtask},
          .job = {job},
          .sink = {sink},
          .epoch = {epoch},
          .what = what,
          .length = length,
          .checksum = checksum};
}

namespace {

// One that throws may have committed any of them: the same again changes nothing.
Committer::Outcome commit_with(Committer& committer,
                               const std::vector<commit::Committable>& committables) {
  try {
    return committer.commit(committables);
  } catch (...) {
    return {0, caught_error("the committer")};
  }
}

}  // namespace

void CommitDriver::open(operators::OperatorContext& context, std::unique_ptr<Committer> committer,
                        const commit::Outside& outside, commit::Rewind rewind) {
  context_ = &context;
  committer_ = std::move(committer);
  strand_ = std::make_unique<env::Strand>(context.env->io);
  commit::Restored restored{
      .restored = context.restored, .outside = outside, .rewind = rewind, .now = now()};
  health_ = context.lists.declare(pending_);
  if (health_) health_ = context.lists.declare(known_);
  if (!health_) return;
  for (const auto& stored : pending_.get()) restored.pending.push_back(stored.unstored());
  for (const auto id : known_.get())
    restored.known_committed = std::max(restored.known_committed, std::optional(CheckpointId{id}));
  const bool repeats = !restored.pending.empty();
  step(restored);
  if (repeats) log::Event(log::Level::kInfo, "CommitRepeated").field("sink", context.name);
}

void CommitDriver::staged(CheckpointId id, std::vector<commit::Committable> committables) {
  step(commit::Staged{id, std::move(committables), now()});
}

void CommitDriver::complete(CheckpointId id) { step(commit::CheckpointComplete{id, now()}); }

void CommitDriver::end_without_checkpoints(std::vector<commit::Committable> committables) {
  step(commit::EndedWithoutCheckpoints{std::move(committables), now()});
}

void CommitDriver::on_time(Instant time) {
  wake_at_ = Instant::never();
  step(commit::TimerFired{time});
}

state::OperatorListState CommitDriver::lists() {
  const auto snapshot = ledger_.snapshot();
  pending_.clear();
  for (const auto& committable : snapshot.pending) pending_.add(StoredCommittable::of(committable));
  known_.clear();
  if (snapshot.known_committed) known_.add(snapshot.known_committed->value);
  return context_->lists.capture();
}

void CommitDriver::step(const commit::Input& input) {
  for (auto& output : ledger_.step(input)) std::visit([this](auto& o) { perform(o); }, output);
}

void CommitDriver::perform(commit::Commit& output) {
  ++commits_out_;
  const auto last = output.committables.back().checkpoint;
  log::Event(log::Level::kInfo, "Committing")
      .field("sink", context_->name)
      .field("checkpoint", last.value)
      .field("parts", output.committables.size());
  strand_->submit([this, last, committer = committer_, batch = output.batch,
                   committables = std::move(output.committables), post = context_->post] {
    auto outcome = commit_with(*committer, committables);
    post([this, batch, last, outcome = std::move(outcome)] {
      --commits_out_;
      if (outcome.status) {
        log::Event(log::Level::kInfo, "Committed")
            .field("sink", context_->name)
            .field("checkpoint", last.value);
        return step(commit::CommitDone{batch, now()});
      }
      log::Event(log::Level::kWarning, "CommitFailed")
          .field("sink", context_->name)
          .field("reason", outcome.status.error().to_string());
      step(commit::CommitFailed{batch, outcome.committed, outcome.status.error(), now()});
    });
  });
}

}  // namespace weir::connectors
