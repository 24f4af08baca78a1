#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weir/connectors/api/sink.h"
#include "weir/env/api/strand.h"
#include "weir/operators/api/operator_context.h"
#include "weir/protocol/commit/commit_ledger.h"

namespace weir::connectors {

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

  static StoredCommittable of(const commit::Committable& committable);
  commit::Committable unstored() const;
};

// The shell of a sink's commit ledger: keeps committables in the operator's list state and runs the
// Committer on the I/O pool.
//
//   Thread  the Subtask's; open() on the I/O pool
class CommitDriver {
 public:
  // `committer` may be null: then nothing is ever staged.
  void open(operators::OperatorContext& context, std::unique_ptr<Committer> committer,
            const commit::Outside& outside, commit::Rewind rewind);

  void staged(CheckpointId id, std::vector<commit::Committable> committables);
  void complete(CheckpointId id);
  void end_without_checkpoints(std::vector<commit::Committable> committables);
  void on_time(Instant now);

  // What the checkpoint must hold, after staged().
  state::OperatorListState lists();
  bool may_finish() const { return ledger_.may_finish(); }
  Status health() const { return health_; }
  Instant wake_at() const { return wake_at_; }
  bool is_quiet() const { return commits_out_ == 0; }

 private:
  void step(const commit::Input& input);
  void perform(commit::Commit& output);
  void perform(commit::WakeAt& output) { wake_at_ = output.when; }
  void perform(commit::Fail& output) { health_ = std::move(output.error); }
  Instant now() const { return context_->env->clock.now(); }

  state::ListState<StoredCommittable> pending_{"committables"};
  state::ListState<std::uint64_t> known_{"known-committed"};  // checkpoint ids
  operators::OperatorContext* context_ = nullptr;
  std::shared_ptr<Committer> committer_;  // shared with the commit under way
  std::unique_ptr<env::Strand> strand_;
  commit::CommitLedger ledger_;
  Status health_;
  Instant wake_at_ = Instant::never();
  std::uint32_t commits_out_ = 0;
};

}  // namespace weir::connectors
