#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/env/api/env.h"
#include "weir/env/api/mailbox.h"
#include "weir/exchange/input_gate.h"
#include "weir/metrics/registry.h"
#include "weir/protocol/alignment/barrier_aligner.h"
#include "weir/rpc/to_job_master.h"
#include "weir/storage/api/checkpoint_storage.h"
#include "weir/task/chain_state.h"
#include "weir/task/letters.h"
#include "weir/task/operator_chain.h"
#include "weir/task/snapshot_upload.h"

namespace weir::task {

// Where a Subtask stands; also what the watchdog prints.
enum class Standing : std::uint8_t {
  kOpening,             // its operators are being opened on the I/O pool
  kReady,               // it has something to do
  kWaitsForInput,       // no channel has an element that it may take
  kWaitsForOutput,      // an edge has no room
  kWaitsForStaging,     // the staging area of a snapshot is full
  kWaitsForLetter,      // its source has nothing at the moment
  kWaitsForCheckpoint,  // has consumed everything and needs a completed checkpoint to end with
  kWaitsForCommit,      // its output is being committed
  kFailed,              // it stands still until it is cancelled
  kCancelling,          // its I/O has to end
  kDone,
};
std::string_view standing_name(Standing standing);
// Why a Subtask stands whose chain returned so.
Standing standing_of(operators::Progress progress);

class Subtask;

// What a Subtask is made of. References outlive it.
struct SubtaskParts {
  ExecutionId execution;
  std::string name;           // "count -> write[1]"
  bool was_finished = false;  // it only tells its consumers so
  bool has_checkpoints = false;
  std::uint32_t moves_per_step = 8;
  Epoch epoch;
  JobId job;

  std::unique_ptr<OperatorChain> chain;
  std::unique_ptr<exchange::InputGate> gate;
  std::uint32_t input_count = 0;                                      // of the first operator
  std::vector<std::unique_ptr<operators::OperatorContext>> contexts;  // one per operator
  // Opens the operators and fills `state`; runs on the I/O pool.
  std::function<Status(OperatorChain&, ChainState&, Subtask&)> open;

  env::Env& env;
  rpc::TaskReports job_master;
  storage::CheckpointStorage* storage = nullptr;  // null without checkpoints
  metrics::Registry& metrics;
};

// One parallel instance of a task: reads its channels, runs its chain, acts on barriers.
//
// Everything happens in step(), a piece at a time: letters, then what is half done, then the next
// element. While a control element is being put into the outputs nothing else is processed; the cut
// follows it at once.
//
// Until its operators are open nothing speaks to them: letters for them wait.
//
//   Errors  an error or exception of an operator is told as TaskFailed; the Subtask then stands
//           still until Cancel
//   Thread  tell() and standing() from any; the rest on its executor thread
//   Source  Flink: StreamTask
class Subtask final : public env::Runnable, public memory::RoomListener {
 public:
  explicit Subtask(SubtaskParts parts);
  ~Subtask() override;

  void tell(Letter letter) { mailbox_.post(std::move(letter)); }
  // Once, after all Subtasks it exchanges with are connected.
  void start(env::Waker& waker);

  env::StepResult step() override;
  std::string name() const override { return parts_.name; }

  void on_room() noexcept override { waker_.load(std::memory_order_acquire)->wake(); }

  Standing standing() const { return standing_.load(std::memory_order_relaxed); }
  // Goes up whenever an element is read, written or told, or state is saved: what has moved lately
  // is not stuck.
  std::uint64_t moves() const { return moves_.value(); }
  // In the middle of a step, or waiting for I/O or the outside: no other Subtask can bring it on.
  // Any thread.
  bool is_busy() const;
  ExecutionId execution() const { return parts_.execution; }

 private:
  enum class Phase : std::uint8_t {
    kOpening,
    kRunning,    // reads and produces
    kFinishing,  // all input has ended: the operators' last records
    kAtEnd,      // has consumed everything; barriers still come
    kClosing,    // tells its consumers that it is FINISHED
    kFailed,
    kCancelling,
    kDone,
  };
  // A control element on its way into the outputs; nothing is processed before it is in all of
  // them.
  struct Outgoing {
    std::variant<CheckpointBarrier, stream::EndOfData, stream::EndOfPartition> element;
    bool is_aborted = false;  // a barrier that is sent to its end but not cut any more
    bool is_delayed = false;  // its outputs had no room at first
  };

  // When a cut was taken, and what is known of its cost so far.
  struct CutTimes {
    Instant at;
    rpc::SnapshotTimings timings;
  };

  void take_letters();
  bool is_for_later(const Letter& letter) const;
  void check_health();
  void on(Opened& letter);
  void on(BarrierDue& letter);
  void on(Completed& letter);
  void on(Aborted& letter);
  void on(Cancel& letter);
  void on(Hint& letter);
  void on(Uploaded& letter);
  void on(Call& letter);

  Standing run();
  // One move: kReady when there may be another.
  Standing advance();
  Standing send_outgoing();
  Standing advance_running();
  Standing advance_finishing();
  Standing advance_at_end();
  std::optional<Standing> read_element();
  Standing process(std::uint32_t channel);
  Standing produce();
  void end_of_data(std::uint32_t channel);
  bool all_data_ended() const { return data_ended_count_ == gate_.channel_count(); }

  void sent(const CheckpointBarrier& barrier);
  void sent(stream::EndOfData);
  void sent(stream::EndOfPartition);
  void act_on(const alignment::Answer& answer);
  void take_cut(const CheckpointBarrier& barrier);
  std::vector<OperatorPart> snapshot_operators(CheckpointId id);
  bool walk_state();
  void completed(CheckpointId id);

  // The operators are open and have not failed: they may be called.
  bool is_live() const { return has_opened_ && phase_ <= Phase::kClosing; }
  void decline(CheckpointId id, checkpoint::FailureReason reason, std::string detail);
  void drop_upload(CheckpointId id);
  void fail(Error error);
  void begin_cancelling();
  bool is_quiet() const;
  Instant wake_at() const;
  void tell_time();
  Instant now() const { return parts_.env.clock.now(); }

  SubtaskParts parts_;
  OperatorChain& chain_;
  exchange::InputGate& gate_;
  env::Mailbox<Letter> mailbox_;
  std::atomic<env::Waker*> waker_{nullptr};             // Partner of start()'s release: on_room().
  std::atomic<Standing> standing_{Standing::kOpening};  // No partner: for the watchdog.
  std::atomic<bool> in_step_{false};                    // No partner: for the watchdog.
  std::atomic<bool> has_uploads_{false};                // No partner: for the watchdog.
  metrics::Metric moves_;
  metrics::Metric& records_in_;
  metrics::Metric& batches_in_;
  metrics::Metric& process_calls_;
  metrics::Metric& resumed_calls_;
  metrics::Metric& inner_batches_;
  metrics::Metric& staging_waits_;  // steps that ended for want of room to save state
  metrics::Metric& source_done_;
  metrics::Metric& source_total_;
  metrics::Metric& records_read_;
  std::uint64_t records_told_ = 0;  // of this attempt, counted in records_read_

  ChainState state_;
  alignment::BarrierAligner aligner_;
  Phase phase_ = Phase::kOpening;
  bool has_opened_ = false;
  bool cancel_wanted_ = false;
  RecycledQueue<Letter> letters_;  // taken from the mailbox, not handled yet
  RecycledQueue<Letter>
      early_;  // what came while the operators were being opened and speaks to them
  std::deque<Outgoing> outgoing_;
  std::uint32_t reading_ = 0;  // the channel whose batch is being read
  stream::BatchPtr batch_;     // what is being read
  stream::BatchCursor cursor_;
  std::vector<bool> data_ended_;              // per channel
  std::vector<std::uint32_t> open_channels_;  // per input: channels whose data has not ended
  std::uint32_t data_ended_count_ = 0;
  std::uint32_t closed_channels_ = 0;  // whose producers are FINISHED
  std::map<CheckpointId, std::shared_ptr<SnapshotUpload>> uploads_;
  std::map<CheckpointId, CutTimes> cuts_;  // that have been taken and are not told of yet
  std::optional<CheckpointId>
      first_cut_at_end_;  // the first checkpoint that was cut after everything was consumed
  std::optional<CheckpointId> newest_complete_;
  bool told_end_ = false;
  std::optional<rpc::Report> farewell_;
};

}  // namespace weir::task
