#pragma once

#include <algorithm>
#include <memory>
#include <tuple>

#include "weir/base/error_exception.h"
#include "weir/base/mutant.h"
#include "weir/connectors/api/run_input.h"
#include "weir/connectors/api/source.h"
#include "weir/operators/api/operator.h"

namespace weir::connectors {

// Runs a SourceReader: input 0 brings its splits, output 0 takes its records.
//
//   Errors  of the reader, by ErrorException
//   Thread  as Operator says
template <class T>
class SourceReaderOperator final : public operators::Operator {
 public:
  SourceReaderOperator(std::unique_ptr<SourceReader<T>> reader, std::string input,
                       RunInput::Told told)
      : reader_(std::move(reader)),
        splits_("splits", reader_->split_schema()),
        input_(std::move(input), std::move(told)) {}

  Status open(operators::OperatorContext& context) override {
    operator_ = &context;
    context_ = {.name = context.name,
                .subtask = context.subtask,
                .parallelism = context.parallelism,
                .reader_parallelism = context.parallelism,
                .env = context.env,
                .post = context.post};
    WEIR_TRY(context.lists.declare(splits_));
    WEIR_TRY(context.lists.declare(read_));
    WEIR_TRY(input_.open(context));
    WEIR_TRY(reader_->open(context_));
    for (const auto& split : splits_.get()) WEIR_TRY(reader_->add_split(split));
    for (const auto amount : read_.get()) read_before_ += amount;
    return ok();
  }

  operators::Progress process(operators::InputIndex, stream::BatchCursor& cursor,
                              operators::Outputs) override {
    const auto& assignments = cursor.batch<SplitAssignment>();
    for (; !cursor.is_done(); cursor.advance(1)) {
      ++received_;
      if (auto added = reader_->add_split(bytes_of(assignments[cursor.position()].split)); !added)
        throw ErrorException{added.error()};
    }
    hint_at_ = {};
    return operators::Progress::kDone;
  }

  void on_end_of_input(operators::InputIndex) override { no_more_splits_ = true; }
  bool is_source() const override { return true; }

  operators::Progress produce(operators::Outputs outputs) override {
    wake_at_ = Instant::never();
    operators::Output& output = *outputs[0];
    if (output.room() == 0) return operators::Progress::kBlockedOnOutput;
    auto& out = output.open_batch<T>();
    if (!ahead_.is_empty()) return emit_ahead(out);
    const auto before = out.size();
    auto state = reader_->read(out);
    records_ += out.size() - before;
    if (!state) throw ErrorException{state.error()};
    switch (*state) {
      case ReadState::kMore:
        return operators::Progress::kMore;
      case ReadState::kWaits:
        wake_at_ = reader_->wake_at();
        return operators::Progress::kBlockedOnLetter;
      case ReadState::kNeedsSplit:
        break;
    }
    if (no_more_splits_) return operators::Progress::kDone;
    ask_for_split();
    return operators::Progress::kBlockedOnLetter;
  }

  operators::SnapshotWork snapshot(CheckpointId) override {
    if (mutant(Mutant::kSourceOffsetOneBatchAhead) && ahead_.is_empty())
      std::ignore = reader_->read(ahead_);
    splits_.update(reader_->snapshot());
    read_.update({read_before_ + reader_->progress().done});
    return operators::captured(operator_->lists.capture());
  }

  Share progress() const override {
    const auto share = reader_->progress();
    return {.done = read_before_ + share.done,
            .total = read_before_ + share.total,
            .records = records_};
  }
  Instant wake_at() const override { return wake_at_; }
  void on_time(Instant) override { wake_at_ = Instant::never(); }  // produce() comes next
  bool is_quiet() const override { return reader_->is_quiet(); }

 private:
  // A hint may be lost, so it is repeated while nothing comes.
  static constexpr Duration kHintAgainAfter = Duration::millis(100);

  void ask_for_split() {
    const auto now = context_.env->clock.now();
    if (now >= hint_at_) {
      hint_at_ = now + kHintAgainAfter;
      Bytes hint;
      ByteWriter(hint).number(received_);
      operator_->send_hint(std::move(hint));
    }
    wake_at_ = hint_at_;
  }

  // For the mutant whose snapshot is ahead of what was put out.
  operators::Progress emit_ahead(stream::RecordBatch<T>& out) {
    const auto n = std::min(out.room(), ahead_.size());
    ahead_.copy_range(0, n, out);
    stream::RecordBatch<T> rest;
    ahead_.copy_range(n, ahead_.size() - n, rest);
    ahead_.clear();
    rest.copy_range(0, rest.size(), ahead_);
    return operators::Progress::kMore;
  }

  std::unique_ptr<SourceReader<T>> reader_;
  state::SerialisedListState splits_;
  state::ListState<std::uint64_t> read_{"read-before"};  // of each Subtask, in all its attempts
  RunInput input_;
  operators::OperatorContext* operator_ = nullptr;
  SourceContext context_;
  bool no_more_splits_ = false;
  std::uint64_t read_before_ = 0;  // by earlier attempts, in the unit of the reader's progress
  std::uint64_t records_ = 0;      // read since this attempt began
  std::uint64_t received_ = 0;     // splits since this attempt began
  Instant hint_at_{};              // not before; zero: at once
  Instant wake_at_ = Instant::never();
  stream::RecordBatch<T> ahead_{{}, 64};
};

}  // namespace weir::connectors
