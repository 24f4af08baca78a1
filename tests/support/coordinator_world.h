#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "weir/base/mutant.h"
#include "weir/base/random.h"
#include "weir/protocol/checkpoint/checkpoint_coordinator.h"

// A small world around the coordinator in which everything that may happen does, in an order that a
// seed decides: messages late, doubled, lost and of dead attempts; fates unknown; failovers;
// crashes of the process. Whatever happens, the promises in the coordinator's header hold.
namespace weir::checkpoint {
inline constexpr std::uint32_t kSources = 2;
inline constexpr std::uint32_t kSums = 2;

inline CheckpointPlan make_plan() {
  CheckpointPlan plan;
  const auto source = operator_id_of("source");
  const auto sum = operator_id_of("sum");
  plan.vertices.push_back({{0}, "source", kSources, {}, {{source, "source", "source", 128}}});
  plan.vertices.push_back({{1}, "sum", kSums, {{{0}}}, {{sum, "sum", "sum", 128}}});
  return plan;
}

inline std::vector<ExecutionId> executions(AttemptId attempt) {
  std::vector<ExecutionId> out;
  for (std::uint32_t i = 0; i != kSources; ++i) out.push_back({{0}, {i}, attempt});
  for (std::uint32_t i = 0; i != kSums; ++i) out.push_back({{1}, {i}, attempt});
  return out;
}

inline std::string file_name(CheckpointId id, const ExecutionId& execution) {
  return "chk-" + std::to_string(id.value) + "/a" + std::to_string(execution.attempt.value) + "-" +
         std::to_string(execution.vertex.value) + "-" + std::to_string(execution.subtask.value);
}

// One life of it by a seed.
//
//   Errors  run() says the first promise that was broken; empty: none
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    options_.interval = Duration::millis(random_.between(10, 100));
    options_.timeout = Duration::millis(random_.between(20, 200));
    options_.min_pause = Duration::millis(random_.one_in(2) ? random_.between(1, 60) : 0);
    options_.max_concurrent = static_cast<std::uint32_t>(random_.between(1, 3));
    options_.tolerable_failures = static_cast<std::uint32_t>(random_.between(0, 4));
    options_.retained = static_cast<std::uint32_t>(random_.between(1, 3));
    by_hand_ = random_.one_in(2);
    bounded_ = random_.one_in(2);
    start_process();
  }

  // What was wrong, or nothing.
  std::string run() {
    for (int i = 0; i != 400 && wrong_.empty(); ++i) something_happens();
    faults_ = false;
    const auto complete_before = newest_durable_;
    for (int i = 0; i != 2000 && wrong_.empty(); ++i) {
      something_happens();
      if (bounded_ ? finished_.size() == kSources + kSums : newest_told_ > complete_before) break;
    }
    if (bounded_ && finished_.size() != kSources + kSums) expect(false, "does not finish");
    if (!bounded_) expect(newest_told_ > complete_before, "no checkpoint after the faults");
    return wrong_;
  }

 private:
  struct Publication {
    CompletedCheckpoint checkpoint;
    bool asked = true;  // an answer is owed
    bool reading_back = false;
  };

  void start_process() {
    core_ = std::make_unique<CheckpointCoordinator>(options_, make_plan());
    attempt_ = {attempt_.value + 1};
    open_.clear();
    publication_.reset();
    reserving_.reset();
    discards_.clear();
    wake_ = Instant::never();
    forget_attempt();
    Started started{.attempt = attempt_,
                    .restored = std::nullopt,
                    .reserved_up_to = reserved_,
                    .newest_seen = {},
                    .retained = {},
                    .wall = {},
                    .now = now_};
    for (const auto& [id, kept] : kept_)
      if (id <= newest_durable_) started.retained.push_back(kept);
    if (!kept_.empty()) started.restored = newest_durable_;
    tell(started);
    all_run();
  }

  void forget_attempt() {
    stopped_ = failing_ = settled_ = false;
    last_complete_at_.reset();
    at_end_.clear();
    finishing_.clear();
    finished_.clear();
  }

  void all_run() {
    for (const auto& execution : executions(attempt_)) tell(TaskRunning{execution, now_});
  }

  void something_happens() {
    now_ = now_ + Duration::millis(faults_ ? random_.between(0, 8) : 0);
    switch (random_.below(faults_ ? 15 : 8)) {
      case 0:
      case 1:
        // Without faults nothing is so slow that a checkpoint would run out of time.
        if (wake_ != Instant::never() && (faults_ || is_quiet())) now_ = std::max(now_, wake_);
        return tell(TimerFired{now_});
      case 2:
        return answer_reservation();
      case 3:
        return answer_publication();
      case 4:
        return answer_discard();
      case 5:
      case 6:
      case 7:
        if (settled_) return restart();
        if (failing_) return stop();
        if (bounded_ && random_.one_in(faults_ ? 40 : 4)) return reach_end();
        if (random_.one_in(3)) return finish();
        return deliver();
      case 8:
        return repeat();
      case 9:
        if (by_hand_) tell(ManualTrigger{{++requests_}, now_});
        return;
      case 10:
        return random_.one_in(6) ? stop() : deliver();
      case 11:
        return random_.one_in(10) ? start_process() : deliver();
      case 12:
        return decline();
      case 13:
        if (!messages_.empty()) messages_.erase(messages_.begin() + pick(messages_));  // lost
        return;
      default:
        return deliver();
    }
  }

  bool is_quiet() const {
    const bool publishing = publication_ && publication_->asked;
    return messages_.empty() && finishing_.empty() && !publishing && !reserving_ &&
           discards_.empty();
  }

  void deliver() {
    if (messages_.empty()) return;
    const auto at = messages_.begin() + pick(messages_);
    Acked message = *at;
    messages_.erase(at);
    if (finished_.contains(message.execution)) return;  // It has closed, and answers no more.
    message.snapshot.at_end = at_end_.contains(message.execution);
    if (message.snapshot.at_end) acked_at_end_[message.id].insert(message.execution);
    delivered_.push_back(message);
    tell(with_time(message));
  }
  void repeat() {
    if (!delivered_.empty())
      tell(with_time(delivered_[static_cast<std::size_t>(pick(delivered_))]));
  }
  Acked with_time(Acked message) const {
    message.now = now_;
    return message;
  }
  void decline() {
    if (messages_.empty()) return;
    const auto at = messages_.begin() + pick(messages_);
    const auto reason = random_.one_in(2) ? FailureReason::kDeclined : FailureReason::kTaskNotReady;
    const Declined event{at->id, at->execution, reason, "", now_};
    messages_.erase(at);
    tell(event);
  }
  void reach_end() {
    const auto all = executions(attempt_);
    const auto& execution = all[random_.below(all.size())];
    at_end_.insert(execution);
    tell(ReachedEnd{execution, now_});
  }
  void finish() {
    if (finishing_.empty()) return;
    const auto execution = *finishing_.begin();
    finishing_.erase(execution);
    finished_.insert(execution);
    tell(TaskFinished{execution, now_});
  }
  void stop() {
    if (stopped_) return;
    stopped_ = true;
    tell(Stopped{now_});
  }
  void restart() {
    forget_attempt();
    attempt_ = {attempt_.value + 1};
    tell(Restarted{attempt_, now_});
    all_run();
  }
  void answer_reservation() {
    if (!reserving_) return;
    const auto up_to = *reserving_;
    reserving_.reset();
    if (faults_ && random_.one_in(4))
      return tell(IdsReserved{up_to, Error{Code::kUnavailable, "no space"}, now_});
    reserved_ = std::max(reserved_, up_to);
    tell(IdsReserved{up_to, ok(), now_});
  }
  void answer_publication() {
    if (!publication_ || !publication_->asked) return;
    publication_->asked = false;
    const auto id = publication_->checkpoint.id;
    // The truth is decided once; what is said of it may be nothing, but never a lie.
    const bool durable = durable_.contains(id);
    const Fate truth = durable ? Fate::kDurable : Fate::kAbsent;
    const bool was_reading = publication_->reading_back;
    if (faults_ && random_.one_in(4)) {
      if (was_reading) return tell(ReadBackDone{id, Fate::kUnknown, "", now_});
      return tell(Published{id, Fate::kUnknown, "", now_});
    }
    publication_.reset();
    if (was_reading) return tell(ReadBackDone{id, truth, "", now_});
    tell(Published{id, truth, "", now_});
  }
  void answer_discard() {
    if (discards_.empty()) return;
    const auto id = discards_.back();
    discards_.pop_back();
    tell(Discarded{id, now_});
  }

  void tell(const Input& input) {
    if (!wrong_.empty()) return;
    for (const auto& output : core_->step(input))
      std::visit([this](const auto& o) { perform(o); }, output);
  }

  void perform(const ReserveIds& o) {
    expect(!reserving_, "two reservations at once");
    reserving_ = o.up_to;
  }
  void perform(const Trigger& o) {
    const auto id = o.barrier.id;
    expect(id > newest_triggered_, "id used before", id);
    expect(id <= reserved_, "id above the durable bound", id);
    newest_triggered_ = std::max(newest_triggered_, id);
    open_.insert(id);
    expect(open_.size() <= options_.max_concurrent, "too many at once", id);
    if (!by_hand_ && !bounded_ && last_complete_at_)
      expect(now_ - *last_complete_at_ >= options_.min_pause, "minimum pause", id);
    expect(o.tasks == begin_barriers(), "barriers begin in the wrong place", id);
    for (const auto& execution : executions(attempt_)) {
      if (finished_.contains(execution)) continue;
      awaited_[id].push_back(file_name(id, execution));
      const FileHandle file{file_name(id, execution), 1, 1};
      const auto op = operator_id_of(execution.vertex.value == 0 ? "source" : "sum");
      messages_.push_back({.id = id,
                           .execution = execution,
                           .snapshot = {.operators = {{op, {}, file}}, .at_end = false},
                           .now = {}});
    }
  }
  // The sources that are not FINISHED; when all are, the sums.
  std::vector<ExecutionId> begin_barriers() const {
    std::vector<ExecutionId> out;
    bool sources_left = false;
    for (const auto& execution : executions(attempt_)) {
      if (execution.vertex.value == 1 && sources_left) break;
      if (finished_.contains(execution)) continue;
      sources_left = sources_left || execution.vertex.value == 0;
      out.push_back(execution);
    }
    return out;
  }

  void perform(const Publish& o) {
    expect(!publication_, "two publications at once", o.checkpoint.id);
    std::vector<std::string> got;
    for (const auto& file : o.checkpoint.files()) got.push_back(file.name);
    expect(got == awaited_[o.checkpoint.id], "made of something else than its own acknowledgements",
           o.checkpoint.id);
    publication_ = Publication{.checkpoint = o.checkpoint};
    if (faults_ && random_.one_in(4)) return;
    durable_.insert(o.checkpoint.id);
    kept_[o.checkpoint.id] = o.checkpoint;
    newest_durable_ = std::max(newest_durable_, o.checkpoint.id);
  }
  void perform(const ReadBack& o) {
    expect(publication_ && publication_->checkpoint.id == o.id, "reads back what is not out", o.id);
    if (publication_) publication_->asked = publication_->reading_back = true;
  }
  void perform(const NotifyComplete& o) {
    expect(durable_.contains(o.id), "told before it is durable", o.id);
    end(o.id);
    told_complete_.insert(o.id);
    newest_told_ = o.id;
    last_complete_at_ = now_;
    for (const auto& execution : acked_at_end_[o.id])
      if (execution.attempt == attempt_ && !finished_.contains(execution))
        finishing_.insert(execution);
  }
  void perform(const NotifyAborted& o) {
    expect(!durable_.contains(o.id), "aborted though durable", o.id);
    expect(!publication_ || publication_->checkpoint.id != o.id, "aborted while publishing", o.id);
    end(o.id);
  }
  void perform(const Discard& o) {
    discards_.push_back(o.id);
    expect(o.id != newest_durable_ || kept_.empty(), "discards the newest", o.id);
    if (kept_.empty()) return;
    const auto needed = kept_.at(newest_durable_).files();
    for (const auto& file : o.files)
      expect(std::find(needed.begin(), needed.end(), file) == needed.end(),
             "deletes a file in need");
    if (o.what == Discard::What::kCompleted) kept_.erase(o.id);
  }
  void perform(const WakeAt& o) { wake_ = o.when; }
  void perform(const FailJob&) { failing_ = true; }
  void perform(const StopJobMaster&) { expect(false, "stops without a failed fsync"); }
  void perform(const AnswerManual& o) {
    expect(answered_.insert(o.request.value).second, "answers a hand twice");
    if (o.result)
      expect(told_complete_.contains(*o.result), "a hand is told before all", *o.result);
  }
  void perform(const Settled& o) {
    expect(!publication_, "settled while publishing");
    expect(o.newest.value_or(CheckpointId{}) == newest_durable_, "settled on something older");
    settled_ = true;
  }

  void end(CheckpointId id) { expect(open_.erase(id) == 1, "ended twice, or never begun", id); }
  void expect(bool condition, const char* what, CheckpointId id = {}) {
    if (!condition && wrong_.empty()) wrong_ = std::string(what) + ": " + std::to_string(id.value);
  }
  template <class List>
  std::ptrdiff_t pick(const List& list) {
    return static_cast<std::ptrdiff_t>(random_.below(list.size()));
  }

  Random random_;
  CheckpointOptions options_;
  bool by_hand_ = false;
  bool bounded_ = false;  // the input ends; else it goes on for ever
  bool faults_ = true;
  std::string wrong_;
  Instant now_{};
  Instant wake_ = Instant::never();

  // What survives a crash of the process.
  CheckpointId reserved_{};
  std::set<CheckpointId> durable_;
  std::map<CheckpointId, CompletedCheckpoint> kept_;
  CheckpointId newest_durable_{};
  CheckpointId newest_triggered_{};

  // What does not.
  std::unique_ptr<CheckpointCoordinator> core_;
  AttemptId attempt_{};
  std::set<CheckpointId> open_;
  std::set<CheckpointId> told_complete_;
  CheckpointId newest_told_{};
  std::optional<Publication> publication_;
  std::optional<CheckpointId> reserving_;
  std::vector<CheckpointId> discards_;
  std::vector<Acked> messages_;
  std::vector<Acked> delivered_;
  std::set<std::uint64_t> answered_;
  std::uint64_t requests_ = 0;
  std::optional<Instant> last_complete_at_;
  bool stopped_ = false;
  bool failing_ = false;
  bool settled_ = false;
  std::set<ExecutionId> at_end_;
  std::set<ExecutionId> finishing_;  // told of the completed checkpoint that they waited for
  std::set<ExecutionId> finished_;
  std::map<CheckpointId, std::vector<std::string>> awaited_;
  std::map<CheckpointId, std::set<ExecutionId>> acked_at_end_;
};

}  // namespace weir::checkpoint
