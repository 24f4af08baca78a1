#include "weir/task/task_manager.h"

#include "weir/base/log.h"
#include "weir/task/deployment.h"

namespace weir::task {

TaskManager::TaskManager(TaskManagerParts parts) : parts_(parts) {}
TaskManager::~TaskManager() = default;

void TaskManager::tell(rpc::ToTasks message) {
  if (message.epoch != parts_.epoch) {
    log::Event(log::Level::kWarning, "MessageOfAnotherEpoch")
        .field("epoch", message.epoch.value)
        .field("expected", parts_.epoch.value);
    return;
  }
  std::visit([this](auto& m) { on(m); }, message.order);
}

// Freeing the state of an attempt and building another one take a while: nobody waits for that.
void TaskManager::on(rpc::DeployTasks& message) {
  exchange_attempt(nullptr).reset();
  unbuilt_.clear();
  auto attempt = std::make_unique<Attempt>();
  attempt->id = message.attempt;
  Deployment deployment(parts_, *job_master_, message);
  if (auto built = deployment.build(*attempt); !built) {
    for (const auto& task : message.tasks) unbuilt_.push_back(task.execution);
    return job_master_->tell({parts_.epoch, rpc::TaskFailed{deployment.building(), built.error()}});
  }
  deployment.start(*attempt);
  exchange_attempt(std::move(attempt)).reset();
}

std::unique_ptr<Attempt> TaskManager::exchange_attempt(std::unique_ptr<Attempt> next) {
  MutexLock lock(mutex_);
  return std::exchange(attempt_, std::move(next));
}

void TaskManager::on(rpc::CancelTasks& message) {
  tell_all(Cancel{}, message.attempt);
  for (const auto execution : std::exchange(unbuilt_, {}))
    job_master_->tell({parts_.epoch, rpc::TaskCancelled{execution}});
}

void TaskManager::on(rpc::TriggerCheckpoint& message) {
  MutexLock lock(mutex_);
  if (!attempt_ || attempt_->id != message.attempt) return;
  for (const auto& execution : message.tasks)
    attempt_->subtasks.at({execution.vertex, execution.subtask})->tell(BarrierDue{message.barrier});
}

void TaskManager::on(rpc::CheckpointCompleted& message) {
  parts_.metrics.metric("checkpoint.staging_peak_bytes").set(parts_.staging.peak_in_use_bytes());
  tell_all(Completed{message.id}, message.attempt);
}

void TaskManager::on(rpc::CheckpointAborted& message) {
  tell_all(Aborted{message.id, message.latest_complete}, message.attempt);
}

void TaskManager::tell_all(const Letter& letter, AttemptId attempt) {
  MutexLock lock(mutex_);
  if (!attempt_ || attempt_->id != attempt) return;
  for (auto& [key, subtask] : attempt_->subtasks) subtask->tell(letter);
}

std::vector<std::string> TaskManager::describe() const {
  MutexLock lock(mutex_);
  std::vector<std::string> lines;
  if (!attempt_) return lines;
  for (const auto& [key, subtask] : attempt_->subtasks)
    lines.push_back(subtask->name() + " " + std::string(standing_name(subtask->standing())));
  return lines;
}

TaskManager::Pulse TaskManager::pulse() const {
  MutexLock lock(mutex_);
  Pulse pulse;
  if (!attempt_) return pulse;
  for (const auto& [key, subtask] : attempt_->subtasks) {
    pulse.moves += subtask->moves();
    pulse.is_busy = pulse.is_busy || subtask->is_busy();
  }
  for (const auto& channels : attempt_->channels)
    for (const auto& channel : channels)
      pulse.has_work = pulse.has_work || (channel && channel->queued() != 0);
  return pulse;
}

}  // namespace weir::task
