#include "weir/connectors/api/commit_driver.h"

#include <algorithm>

#include "weir/base/error_exception.h"
#include "weir/base/log.h"
#include "weir/types/serializer.h"

namespace weir::connectors {
namespace {

constexpr char kPending[] = "committables";
constexpr char kKnown[] = "known-committed";

// A Committable as it lies in operator list state.
struct StoredCommittable {
  std::uint64_t checkpoint = 0;
  std::uint32_t subtask = 0;
  std::array<std::uint8_t, 16> job{};
  std::array<std::uint8_t, 16> sink{};
  std::uint64_t epoch = 0;
  std::string what;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
};

Bytes bytes_of(const commit::Committable& c) {
  return serialize(StoredCommittable{c.checkpoint.value, c.subtask.value, c.job.bytes, c.sink.bytes,
                                     c.epoch.value, c.what, c.length, c.checksum});
}

Result<commit::Committable> committable_from(ByteView bytes) {
  WEIR_ASSIGN(auto s, deserialize<StoredCommittable>(bytes));
  return commit::Committable{.checkpoint = {s.checkpoint},
                             .subtask = {s.subtask},
                             .job = {s.job},
                             .sink = {s.sink},
                             .epoch = {s.epoch},
                             .what = std::move(s.what),
                             .length = s.length,
                             .checksum = s.checksum};
}

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

Result<std::vector<commit::Committable>> CommitDriver::pending_in(
    const state::OperatorListState& lists) {
  std::vector<commit::Committable> pending;
  for (const auto& element : lists.elements(kPending)) {
    WEIR_ASSIGN(auto committable, committable_from(element));
    pending.push_back(std::move(committable));
  }
  return pending;
}

void CommitDriver::open(operators::OperatorContext& context, std::unique_ptr<Committer> committer,
                        const commit::Outside& outside, commit::Rewind rewind) {
  context_ = &context;
  committer_ = std::move(committer);
  strand_ = std::make_unique<env::Strand>(context.env->io);
  commit::Restored restored{
      .restored = context.restored, .outside = outside, .rewind = rewind, .now = now()};
  auto pending = pending_in(context.restored_lists);
  if (!pending) {
    health_ = pending.error();
    return;
  }
  restored.pending = *std::move(pending);
  for (const auto& element : context.restored_lists.elements(kKnown)) {
    const auto id = deserialize<std::uint64_t>(element);
    if (!id) {
      health_ = id.error();
      return;
    }
    restored.known_committed = std::max(restored.known_committed, std::optional(CheckpointId{*id}));
  }
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

state::OperatorListState CommitDriver::lists() const {
  state::OperatorListState lists;
  const auto snapshot = ledger_.snapshot();
  for (const auto& committable : snapshot.pending) lists.add(kPending, bytes_of(committable));
  if (snapshot.known_committed) lists.add(kKnown, serialize(snapshot.known_committed->value));
  return lists;
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
