#include "weir/connectors/api/split_enumerator_operator.h"

#include <algorithm>

namespace weir::connectors {

using operators::Progress;

void AssignmentRouter::route(stream::AnyBatch& batch, std::uint32_t from, std::uint32_t consumers,
                             std::uint16_t* target_of) {
  const auto& assignments = static_cast<const stream::RecordBatch<SplitAssignment>&>(batch);
  for (auto i = from; i != batch.size(); ++i) {
    WEIR_CHECK(assignments[i].reader < consumers);
    target_of[i] = static_cast<std::uint16_t>(assignments[i].reader);
  }
}

Status SplitEnumeratorOperator::open(operators::OperatorContext& context) {
  operator_ = &context;
  context_ = {.name = context.name,
              .subtask = context.subtask,
              .parallelism = context.parallelism,
              .reader_parallelism = context.consumer_parallelism,
              .env = context.env,
              .post = context.post};
  WEIR_TRY(context.lists.declare(splits_));
  WEIR_TRY(context.lists.declare(was_open_));
  std::optional<std::vector<Bytes>> state;
  if (!was_open_.is_empty()) state = splits_.get();
  return enumerator_->open(context_, state);
}

Progress SplitEnumeratorOperator::produce(operators::Outputs outputs) {
  operators::Output& output = *outputs[0];
  while (!waiting_.empty()) {
    if (output.room() == 0) return Progress::kBlockedOnOutput;
    const auto reader = waiting_.front();
    auto split = enumerator_->next_split(reader);
    if (!split) break;
    waiting_.erase(waiting_.begin());
    auto& assignment = output.open_batch<SplitAssignment>().append();
    assignment.reader = reader.value;
    assignment.split = text_of(*split);
    assigned_.resize(std::max<std::size_t>(assigned_.size(), reader.value + 1));
    ++assigned_[reader.value];
  }
  return enumerator_->is_exhausted() ? Progress::kDone : Progress::kBlockedOnLetter;
}

operators::SnapshotWork SplitEnumeratorOperator::snapshot(CheckpointId) {
  was_open_.update({true});
  splits_.update(enumerator_->snapshot());
  return operators::captured(operator_->lists.capture());
}

void SplitEnumeratorOperator::on_hint(SubtaskIndex reader, ByteView hint) {
  ByteReader in(hint);
  const auto received = in.number<std::uint64_t>();
  if (!in.ok()) return;
  const auto assigned = reader.value < assigned_.size() ? assigned_[reader.value] : 0;
  if (received != assigned)
    return;  // An assignment is on its way: the reader asks again if it needs more.
  if (std::find(waiting_.begin(), waiting_.end(), reader) == waiting_.end())
    waiting_.push_back(reader);
}

}  // namespace weir::connectors
