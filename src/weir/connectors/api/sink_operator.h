#pragma once

#include <memory>
#include <utility>

#include "weir/base/error_exception.h"
#include "weir/base/mutant.h"
#include "weir/connectors/api/commit_driver.h"
#include "weir/connectors/api/sink.h"
#include "weir/operators/api/operator.h"

namespace weir::connectors {

// --rewind-output: a checkpoint older than what is visible may be restored; what is newer is taken
// back.
inline constexpr config::Option<bool> kRewindOutput{
    "weir.rewind-output", "--rewind-output", false,
    "Allows a restore from a checkpoint older than the visible output; the newer output is "
    "removed."};

// Calls a writer's closure on the I/O pool; one that throws instead of telling has failed.
void make_durable(const std::function<void(StagedDone)>& closure, StagedDone done);

// Runs a sink: its Writer for the records, its Committer through the ledger.
//
//   Errors  of the Writer, by ErrorException; of the Committer, by health()
//   Thread  as Operator says
template <class T>
class SinkOperator final : public operators::Operator {
 public:
  explicit SinkOperator(std::shared_ptr<const Sink<T>> sink)
      : sink_(std::move(sink)), writer_(sink_->make_writer()) {}

  Status open(operators::OperatorContext& context) override {
    context_ = {.name = context.name,
                .job = context.job,
                .sink = context.id,
                .epoch = context.epoch,
                .attempt = context.attempt,
                .subtask = context.subtask,
                .parallelism = context.parallelism,
                .restored = context.restored,
                .has_checkpoints = context.has_checkpoints,
                .env = context.env,
                .options = context.options,
                .post = context.post};
    WEIR_ASSIGN(const auto outside, writer_->open(context_));
    const bool may_rewind = context.options->get(kRewindOutput);
    commits_.open(context, sink_->make_committer(context_), outside,
                  may_rewind ? commit::Rewind::kAllowed : commit::Rewind::kRefused);
    return commits_.health();
  }

  operators::Progress process(operators::InputIndex, stream::BatchCursor& cursor,
                              operators::Outputs) override {
    while (!cursor.is_done()) {
      const auto& batch = cursor.batch<T>();
      auto taken = writer_->write(batch, cursor.position());
      if (!taken) throw ErrorException{taken.error()};
      if (*taken == 0) return operators::Progress::kBlockedOnLetter;
      cursor.advance(*taken);
    }
    return operators::Progress::kDone;
  }

  operators::SnapshotWork snapshot(CheckpointId id) override {
    commits_.staged(id, writer_->stage(id));
    if (mutant(Mutant::kStagedOutputNotSynced)) return operators::captured(commits_.lists());
    return [durable = writer_->make_durable(),
            lists = commits_.lists()](operators::SnapshotDone done) {
      make_durable(durable, [done = std::move(done), lists](const Status& status) {
        if (status) return done(lists);
        done(status.error());
      });
    };
  }

  void on_checkpoint_complete(CheckpointId id) override { commits_.complete(id); }
  void on_end_without_checkpoint() override {
    auto committables = writer_->stage(CheckpointId{1});
    const auto durable = writer_->make_durable();
    ending_ = true;
    context_.env->io.submit(
        [this, durable, committables = std::move(committables), post = context_.post] {
          make_durable(durable, [this, committables, post](const Status& status) {
            post([this, committables, status] {
              ending_ = false;
              if (!status) throw ErrorException{status.error()};
              commits_.end_without_checkpoints(committables);
            });
          });
        });
  }

  bool may_finish() const override { return !ending_ && commits_.may_finish(); }
  Status health() const override {
    if (auto status = writer_->health(); !status) return status;
    return commits_.health();
  }
  Instant wake_at() const override { return commits_.wake_at(); }
  void on_time(Instant now) override { commits_.on_time(now); }
  bool is_quiet() const override { return !ending_ && writer_->is_quiet() && commits_.is_quiet(); }

 private:
  const std::shared_ptr<const Sink<T>> sink_;
  const std::unique_ptr<SinkWriter<T>> writer_;
  SinkContext context_;
  CommitDriver commits_;
  bool ending_ = false;  // without checkpoints: the last output is being made durable
};

}  // namespace weir::connectors
