#include "weir/task/subtask.h"

#include "weir/base/error_exception.h"
#include "weir/base/log.h"
#include "weir/base/mutant.h"
#include "weir/storage/api/checkpoint_names.h"

namespace weir::task {

using operators::Progress;

namespace {
// Keyed state saved with each move while a cut is open, by its writes and after it by the walk: so little that no batch
// waits long, and that most entries of a busy Subtask are saved by its own writes, which have them at hand. One that has
// nothing else to do is called again at once.
constexpr std::uint64_t kSliceBytes = 16u << 10;
}  // namespace

void Subtask::act_on(const alignment::Answer& answer) {
  if (answer.abandoned)
    decline(*answer.abandoned, checkpoint::FailureReason::kDeclinedSubsumed,
            parts_.name + " met a newer barrier");
  if (answer.verdict == alignment::Verdict::kSnapshot) outgoing_.push_back({aligner_.barrier()});
}

Standing Subtask::send_outgoing() {
  auto& next = outgoing_.front();
  const auto progress = chain_.drain();
  const bool is_through = progress == Progress::kDone && chain_.flush(Flush::kAll);
  if (!is_through) {
    if (std::holds_alternative<CheckpointBarrier>(next.element) &&
        !std::exchange(next.is_delayed, true))
      log::Event(log::Level::kDebug, "BarrierWaits").field("task", parts_.name);
    return progress == Progress::kDone ? Standing::kWaitsForOutput : standing_of(progress);
  }
  const bool is_sent =
      std::visit([this](const auto& element) { return chain_.broadcast(element); }, next.element);
  if (!is_sent) return Standing::kWaitsForOutput;
  const auto outgoing = std::move(next);
  outgoing_.pop_front();
  if (!outgoing.is_aborted)
    std::visit([this](const auto& element) { sent(element); }, outgoing.element);
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
  const auto cut_at = now();
  auto upload = std::make_shared<SnapshotUpload>(
      *parts_.storage, parts_.env.io, snapshot_operators(id), at_end,
      [this, id](SnapshotUpload::Outcome outcome) {
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
  cuts_[id] = {cut_at,
               {.alignment = aligner_.figures().duration, .cut = now() - cut_at, .upload = {}}};
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
    chain_.turn_to(i);
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
  if (!moved) {
    chain_.turn_to(state_.walked());
    throw ErrorException{moved.error()};
  }
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

}  // namespace weir::task
