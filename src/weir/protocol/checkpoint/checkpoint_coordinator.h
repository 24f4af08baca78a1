#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/protocol/checkpoint/checkpoint_id_counter.h"
#include "weir/protocol/checkpoint/checkpoint_messages.h"
#include "weir/protocol/checkpoint/checkpoint_options.h"
#include "weir/protocol/checkpoint/checkpoint_plan.h"
#include "weir/protocol/checkpoint/completed_store.h"
#include "weir/protocol/checkpoint/failure_counter.h"
#include "weir/protocol/checkpoint/pending_checkpoints.h"
#include "weir/protocol/checkpoint/task_roster.h"
#include "weir/protocol/checkpoint/trigger_decider.h"

namespace weir::checkpoint {

// Decides when one job's checkpoints are triggered, whom they await, when they are complete, what a
// failure means and what may be deleted.
//
// Tell it what happened, carry out what it answers, in order, and tell it the fate of what has one.
// Each id ends once: with NotifyComplete, which comes only after it is known to be durable, or with
// NotifyAborted. Between Publish and its fate nothing can end it (the point of no return); a fate
// that is unknown is found out by reading back. Ids are never reused, so a late message can always
// be told from a timely one. The newest completed checkpoint is never discarded.
//
//   Shape   one Publish is out at a time; of several that are acknowledged the oldest goes first
//   Errors  what fails is an output: NotifyAborted, FailJob. After StopJobMaster it answers nothing
//           more
//   Thread  none of its own; the JobMaster's mailbox is the only caller
//   Source  Carbone et al. 2015; Flink: CheckpointCoordinator, CheckpointFailureManager
class CheckpointCoordinator {
 public:
  // How long to wait before asking again for a fate that reading back did not reveal.
  static constexpr Duration kReadBackPause = Duration::seconds(1);

  CheckpointCoordinator(const CheckpointOptions& options, CheckpointPlan plan);

  std::vector<Output> step(const Input& input);

  // What a restore would begin from; nullptr while there is none.
  const CompletedCheckpoint* newest_completed() const { return store_.newest(); }

 private:
  enum class Phase : std::uint8_t { kIdle, kRunning, kFailing, kStopped, kHalted };

  void on(const Started& event);
  void on(const TimerFired& event);
  void on(const ManualTrigger& event);
  void on(const TaskRunning& event);
  void on(const ReachedEnd& event);
  void on(const TaskFinished& event);
  void on(const Acked& event);
  void on(const Declined& event);
  void on(const IdsReserved& event);
  void on(const Published& event);
  void on(const ReadBackDone& event);
  void on(const Discarded& event);
  void on(const Stopped& event);
  void on(const Restarted& event);

  // The pending checkpoint that an acknowledgement counts for; nullptr where it counts for none.
  PendingCheckpoint* counts_for(const Acked& event);
  void resolve(CheckpointId id, Fate fate, const std::string& detail);
  void publish_next();
  void complete(CheckpointId id);
  void abort(CheckpointId id, FailureReason reason, const std::string& detail);
  void count_failure(bool one_too_many, FailureReason reason, const std::string& detail);
  void refuse(RequestId request, FailureReason reason, const std::string& detail = {});
  void begin_attempt(AttemptId attempt, TriggerDecider::Start start);
  void settle();
  void discard(Discard discard);

  void trigger_what_is_due();
  void trigger(const TriggerDecider::Decision& decision);
  void reserve_ids();
  void announce_wake();
  Instant earliest_wake() const;

  void expect_final();

  const CheckpointOptions options_;
  const CheckpointPlan plan_;

  Phase phase_ = Phase::kIdle;
  TaskRoster roster_;
  TriggerDecider decider_;
  CheckpointIdCounter ids_;
  FailureCounter failures_;
  CompletedStore store_;
  PendingCheckpoints pending_;
  std::size_t cleaning_ = 0;
  TriggerDecider::Start start_ = TriggerDecider::Start::kFresh;
  bool schedule_begun_ = false;
  bool settled_ = false;
  Instant read_back_at_ = Instant::never();

  Instant now_{};
  Instant started_at_{};
  WallTime started_at_wall_{};
  Instant announced_ = Instant::never();
  std::vector<Output> out_;
};

}  // namespace weir::checkpoint
