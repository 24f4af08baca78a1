#include <algorithm>

#include "weir/base/log.h"
#include "weir/jobmaster/job_master.h"
#include "weir/storage/api/checkpoint_names.h"
#include "weir/storage/api/metadata.h"

namespace weir::jobmaster {

std::string JobMaster::pointer_path(CheckpointId id) const {
  return parts_.job.to_hex() + "/" + storage::metadata_name(id);
}

void JobMaster::tell_coordinator(const checkpoint::Input& input) {
  if (!coordinator_ || phase_ == Phase::kEnded) return;
  for (auto& output : coordinator_->step(input))
    std::visit([this](auto& o) { perform(o); }, output);
}

void JobMaster::perform(checkpoint::ReserveIds& output) {
  records_.submit([this, up_to = output.up_to] {
    auto written = parts_.store->write(ha::ReserveIds{up_to});
    Status status;
    if (!written) status = written.error().during("reserving checkpoint ids");
    tell_if_lost(status);
    mailbox_.post(
        Letter(checkpoint::Input(checkpoint::IdsReserved{up_to, std::move(status), now()})));
  });
}

// Without its record no attempt of the job can complete a checkpoint: there is no use in another.
void JobMaster::tell_if_lost(const Status& written) {
  if (!written && is_for_good(written.error().code))
    mailbox_.post(Letter(RecordLost{written.error()}));
}

void JobMaster::on(RecordLost& loss) {
  tell_failover(failover::JobFailed{attempt_, std::move(loss.error), now()});
}

void JobMaster::perform(checkpoint::Trigger& output) {
  const auto id = output.barrier.id;
  in_progress_[id].triggered_at = now();
  log::Event(log::Level::kInfo, "CheckpointTriggered")
      .field("checkpoint", id.value)
      .field("phase", "cut");
  tell_tasks(rpc::TriggerCheckpoint{attempt_, output.barrier, std::move(output.tasks)});
}

void JobMaster::perform(checkpoint::Publish& output) {
  const auto id = output.checkpoint.id;
  log::Event(log::Level::kInfo, "CheckpointPublishing")
      .field("checkpoint", id.value)
      .field("phase", "publish");
  ha::MovePointer move{.newest = {id, pointer_path(id)}, .retained = retained_};
  const auto keep = std::min<std::size_t>(move.retained.size(), parts_.checkpoints.retained - 1);
  move.retained.resize(keep);
  records_.submit([this, id, move = std::move(move), checkpoint = std::move(output.checkpoint)] {
    auto written = parts_.storage->publish(id, storage::encode_metadata(checkpoint));
    // Whatever became of the file, no pointer names it.
    if (!written) written = Written::absent(written.error());
    if (written) {
      written = parts_.store->write(move);
      if (!written) tell_if_lost(written.error().during("moving the pointer"));
    }
    const auto detail = written ? std::string() : written.error().to_string();
    mailbox_.post(
        Letter(checkpoint::Input(checkpoint::Published{id, written.fate(), detail, now()})));
  });
}

void JobMaster::perform(checkpoint::ReadBack& output) {
  records_.submit([this, id = output.id] {
    const auto written = ha::pointer_fate(*parts_.store, parts_.store->read_back(), id);
    const auto detail = written ? std::string() : written.error().to_string();
    // A read that had to sync and could not says as much as a publication that could not.
    if (written.fate() == Fate::kSyncFailed)
      mailbox_.post(
          Letter(checkpoint::Input(checkpoint::Published{id, written.fate(), detail, now()})));
    else
      mailbox_.post(
          Letter(checkpoint::Input(checkpoint::ReadBackDone{id, written.fate(), detail, now()})));
  });
}

void JobMaster::perform(checkpoint::NotifyComplete& output) {
  const auto progress = in_progress_[output.id];
  in_progress_.erase(in_progress_.begin(), in_progress_.upper_bound(output.id));
  const auto took = now() - progress.triggered_at;
  parts_.metrics.metric("checkpoint.completed").add(1);
  parts_.metrics.metric("checkpoint.last_id").set(output.id.value);
  show(progress, took);
  log::Event(log::Level::kInfo, "CheckpointComplete")
      .field("checkpoint", output.id.value)
      .field("bytes", progress.longest.bytes)
      .field("ms", took.to_millis())
      .field("phase", "commit");
  retained_.insert(retained_.begin(), {output.id, pointer_path(output.id)});
  retained_.resize(std::min<std::size_t>(retained_.size(), parts_.checkpoints.retained));
  tell_tasks(rpc::CheckpointCompleted{attempt_, output.id, output.last_subsumed});
}

void JobMaster::show(const InProgress& done, Duration took) {
  const auto show_us = [this](const char* what, Duration duration) {
    parts_.metrics.metric(std::string("checkpoint.last_") + what + "_us")
        .set(static_cast<std::uint64_t>(duration.ns) / 1000);
  };
  parts_.metrics.metric("checkpoint.last_bytes").set(done.longest.bytes);
  show_us("duration", took);
  show_us("alignment", done.longest.alignment);
  show_us("cut", done.longest.cut);
  show_us("upload", done.longest.upload);
}

void JobMaster::perform(checkpoint::NotifyAborted& output) {
  in_progress_.erase(output.id);
  parts_.metrics.metric("checkpoint.aborted").add(1);
  // Input that ends while a checkpoint begins is nothing to worry about.
  const bool is_end = output.reason == checkpoint::FailureReason::kTaskClosing;
  log::Event(is_end ? log::Level::kInfo : log::Level::kWarning, "CheckpointAborted")
      .field("checkpoint", output.id.value)
      .field("reason", checkpoint::failure_sentence(output.reason, output.detail));
  tell_tasks(rpc::CheckpointAborted{attempt_, output.id, output.latest_complete});
}

void JobMaster::perform(checkpoint::Discard& output) {
  discards_.submit([this, discard = std::move(output)] {
    using What = checkpoint::Discard::What;
    const auto done = discard.what == What::kLate
                          ? parts_.storage->remove(discard.files)
                          : parts_.storage->discard(discard.id, discard.files);
    if (!done)
      log::Event(log::Level::kWarning, "LeftoverNotRemoved")
          .field("checkpoint", discard.id.value)
          .field("reason", done.error().what);
    mailbox_.post(Letter(checkpoint::Input(checkpoint::Discarded{discard.id, now()})));
  });
}

void JobMaster::perform(checkpoint::WakeAt& output) { coordinator_at_ = output.when; }

void JobMaster::perform(checkpoint::FailJob& output) {
  tell_failover(failover::JobFailed{attempt_, std::move(output.error), now()});
}

void JobMaster::perform(checkpoint::StopJobMaster& output) {
  end({JobEnd::Kind::kStopped, Error{Code::kUnavailable, std::move(output.why)}});
}

void JobMaster::perform(checkpoint::AnswerManual& output) {
  const auto request = requests_.find(output.request.value);
  if (request == requests_.end()) return;
  const auto answer = std::move(request->second);
  requests_.erase(request);
  answer(output.result);
}

void JobMaster::perform(checkpoint::Settled&) {
  is_settled_ = true;
  stopped_when_still();
  finish_when_settled();
}

checkpoint::CheckpointPlan JobMaster::plan() const {
  checkpoint::CheckpointPlan plan{.job = parts_.job, .epoch = parts_.epoch, .vertices = {}};
  const auto& graph = parts_.graph;
  for (const auto& vertex : graph.vertices) {
    checkpoint::PlannedVertex planned{
        .id = vertex.id, .name = vertex.name, .parallelism = vertex.scale.parallelism};
    for (const auto& edge : graph.edges) {
      if (edge.to != vertex.id) continue;
      const bool is_forward = graph.stream_edge(edge).partitioning == graph::Partitioning::kForward;
      planned.inputs.push_back({edge.from, is_forward ? checkpoint::EdgeShape::kForward
                                                      : checkpoint::EdgeShape::kAllToAll});
    }
    for (const auto node : vertex.chain)
      planned.operators.push_back({.id = graph::operator_id_of(graph.stream, node),
                                   .uid = graph.stream.node(node).uid,
                                   .name = graph.stream.node(node).name,
                                   .max_parallelism = vertex.scale.max_parallelism});
    plan.vertices.push_back(std::move(planned));
  }
  return plan;
}

}  // namespace weir::jobmaster
