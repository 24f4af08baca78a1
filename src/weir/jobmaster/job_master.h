#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weir/env/api/env.h"
#include "weir/env/api/mailbox.h"
#include "weir/env/api/strand.h"
#include "weir/graph/job_graph.h"
#include "weir/ha/api/store.h"
#include "weir/jobmaster/job_end.h"
#include "weir/jobmaster/state_assignment.h"
#include "weir/metrics/registry.h"
#include "weir/protocol/checkpoint/checkpoint_coordinator.h"
#include "weir/protocol/failover/failover.h"
#include "weir/rpc/to_job_master.h"
#include "weir/rpc/to_tasks.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::jobmaster {

// What a JobMaster is built over. References outlive it.
struct JobMasterParts {
  const graph::JobGraph& graph;
  JobId job;
  Epoch epoch;
  checkpoint::CheckpointOptions checkpoints;
  failover::RestartOptions restart;
  UnclaimedState unclaimed = UnclaimedState::kRefused;
  // Completed checkpoints of earlier processes, newest first: the job begins from the first.
  std::vector<checkpoint::CompletedCheckpoint> retained;

  env::Env& env;
  rpc::TaskGateway& tasks;
  // Both or none: without them the job takes no checkpoints.
  storage::CheckpointStorage* storage = nullptr;
  ha::Store* store = nullptr;
  metrics::Registry& metrics;
  // Called once, on the JobMaster's thread; its last step. After kStopped tasks may still run, and
  // after any end deletions may still be under way: whoever is called stops executor and I/O pool
  // before what they refer to goes.
  std::function<void(JobEnd)> on_end;
};

// Leads one job: the shell of the checkpoint and failover cores.
//
// Messages become inputs of a core, outputs of a core become one call each. I/O runs on the pool
// and comes back as a letter. It keeps book only of which tasks have ended.
//
//   Thread  tell() and the verbs from any; the rest on its own
//   Source  Flink: JobMaster, with its scheduler
class JobMaster final : public env::Runnable, public rpc::JobMasterGateway {
 public:
  explicit JobMaster(JobMasterParts parts);
  ~JobMaster() override;

  void start();
  void tell(rpc::ToJobMaster message) override { mailbox_.post(Letter(std::move(message))); }

  // ---- Verbs ----
  // Ends the process's part; the same command resumes the job.
  void suspend() { mailbox_.post(Letter(Verb::kSuspend)); }
  void cancel() { mailbox_.post(Letter(Verb::kCancel)); }
  // Asks for a checkpoint; the answer is its id once it is complete, on the JobMaster's thread.
  // Whoever asked before the job's end is answered before `on_end` is called.
  void trigger_checkpoint(std::function<void(Result<CheckpointId>)> answer);

  env::StepResult step() override;
  std::string name() const override { return "JobMaster"; }

 private:
  enum class Verb : std::uint8_t { kSuspend, kCancel };
  enum class Phase : std::uint8_t {
    kNew,
    kRunning,
    kFinishing,
    kRecording,   // that the run has FINISHED
    kAbandoning,  // a run that never got to run, for the one that it was to replace
    kEnded
  };
  enum class TaskState : std::uint8_t { kDeployed, kFinished, kCancelled };
  struct ManualRequest {
    std::function<void(Result<CheckpointId>)> answer;
  };
  struct ResultWritten {
    Written written;
  };
  struct RunAbandoned {
    Written written;
    Error cause;
  };
  // The run's durable record is not what this process wrote, or not ours any more.
  struct RecordLost {
    Error error;
  };
  struct InProgress {
    Instant triggered_at;
    rpc::SnapshotTimings longest;  // of any task, but for the bytes, which are those of all
  };
  using Letter = std::variant<rpc::ToJobMaster, checkpoint::Input, Verb, ManualRequest,
                              ResultWritten, RunAbandoned, RecordLost>;

  void on(rpc::ToJobMaster& message);
  void tell_tasks(rpc::Order order) { parts_.tasks.tell({parts_.epoch, std::move(order)}); }
  void on(checkpoint::Input& input);
  void on(Verb& verb);
  void on(ManualRequest& request);
  void on(ResultWritten& outcome);
  void on(RunAbandoned& outcome);
  void on(RecordLost& loss);
  void tell_if_lost(const Status& written);  // on the strand of records_

  void on(rpc::TaskRunning& message);
  void on(rpc::TaskAtEnd& message);
  void on(rpc::TaskFinished& message);
  void on(rpc::TaskFailed& message);
  void on(rpc::TaskCancelled& message);
  void on(rpc::CheckpointAcknowledged& message);
  void on(rpc::CheckpointDeclined& message);

  void tell_coordinator(const checkpoint::Input& input);
  void perform(checkpoint::ReserveIds& output);
  void perform(checkpoint::Trigger& output);
  void perform(checkpoint::Publish& output);
  void perform(checkpoint::ReadBack& output);
  void perform(checkpoint::NotifyComplete& output);
  void perform(checkpoint::NotifyAborted& output);
  void perform(checkpoint::Discard& output);
  void perform(checkpoint::WakeAt& output);
  void perform(checkpoint::FailJob& output);
  void perform(checkpoint::StopJobMaster& output);
  void perform(checkpoint::AnswerManual& output);
  void perform(checkpoint::Settled& output);

  void tell_failover(const failover::Input& input);
  void perform(failover::CancelAll& output);
  void perform(failover::RestoreAndRestart& output);
  void perform(failover::WakeAt& output);
  void perform(failover::FailJob& output);
  void perform(failover::JobCancelled& output);
  void perform(failover::JobSuspended& output);
  void perform(failover::ReportFailure& output);

  void begin();
  void deploy(AttemptId attempt);
  bool is_current(ExecutionId execution) const;
  bool all_tasks_ended() const;
  void end_task(ExecutionId execution, TaskState state);
  void stopped_when_still();
  void finish_when_settled();
  void record_result();
  void delete_checkpoints();
  void suspend_recording();
  void settle_run();
  void end(JobEnd end);
  void answer_open_requests();
  void show(const InProgress& done, Duration took);
  checkpoint::CheckpointPlan plan() const;
  std::string pointer_path(CheckpointId id) const;
  Instant now() const { return parts_.env.clock.now(); }

  JobMasterParts parts_;
  env::Mailbox<Letter> mailbox_;
  RecycledQueue<Letter> letters_;  // taken, not handled yet
  std::optional<checkpoint::CheckpointCoordinator> coordinator_;
  failover::Failover failover_;
  env::Strand records_;  // everything that goes through ha::Store, in order
  env::Strand discards_;

  Phase phase_ = Phase::kNew;
  AttemptId attempt_{};
  std::map<ExecutionId, TaskState> tasks_;
  std::size_t running_ = 0;            // tasks of the attempt that have said so
  bool is_stopping_ = false;           // CancelAll has gone out, AllTasksStopped not yet
  bool is_settled_ = false;            // since the coordinator was stopped
  bool is_provisional_ = false;        // an earlier run is kept until all tasks of this one run
  bool is_replacing_ = false;          // what other runs have left is there until then
  bool suspend_wanted_ = false;        // while the result is being recorded
  std::vector<ha::Pointer> retained_;  // completed, newest first
  Instant coordinator_at_ = Instant::never();
  Instant failover_at_ = Instant::never();
  Instant record_at_ = Instant::never();
  std::optional<JobEnd> end_;

  std::uint64_t next_request_ = 1;
  std::map<std::uint64_t, std::function<void(Result<CheckpointId>)>> requests_;

  std::map<CheckpointId, InProgress> in_progress_;  // for metrics
};

}  // namespace weir::jobmaster
