#include <algorithm>

#include "weir/base/mutant.h"
#include "weir/base/random.h"
#include "weir/protocol/commit/commit_ledger.h"

// A sink with some subtasks, crashed and restored at any other parallelism at moments that a seed
// decides, with commits that fail, work in part, and work without anybody hearing of it. In the end
// every committable of a checkpoint that completed is visible once, and nothing else ever was.
namespace weir::commit {
namespace {

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) { start(); }

  std::string run() {
    for (int i = 0; i != 200 && wrong_.empty(); ++i) something_happens();
    finish();
    return wrong_;
  }

 private:
  struct Subtask {
    CommitLedger ledger;
    std::optional<Commit> batch;
    Instant wake = Instant::never();
  };

  void start() {
    const auto count = 1 + random_.below(3);
    subtasks_ = std::vector<Subtask>(count);
    since_complete_.clear();
    std::vector<Restored> begin(
        count, Restored{.pending = {},
                        .known_committed = std::nullopt,
                        .restored = complete_.value == 0 ? std::nullopt : std::optional(complete_),
                        .outside = {.highest_visible = std::nullopt, .keeps_marker = false},
                        .rewind = Rewind::kRefused,
                        .now = now_});
    for (std::size_t i = 0; i != state_.size(); ++i) begin[i % count].pending.push_back(state_[i]);
    if (!visible_.empty())
      for (auto& event : begin) event.outside.highest_visible = visible_.rbegin()->checkpoint;
    for (std::size_t i = 0; i != count; ++i) tell(subtasks_[i], begin[i]);
  }

  void something_happens() {
    now_ = now_ + Duration::millis(random_.between(0, 400));
    auto& subtask = subtasks_[random_.below(subtasks_.size())];
    switch (random_.below(8)) {
      case 0:
      case 1:
        return checkpoint();
      case 2:
      case 3:
        return answer(subtask);
      case 4:
        return tell(subtask, TimerFired{now_});
      case 5:
      case 6:  // Some hear of a completion late, or not at all.
        return tell(subtask, CheckpointComplete{complete_, now_});
      default:
        if (random_.one_in(4)) start();  // A crash: what is in no completed checkpoint is gone.
    }
  }

  // All subtasks stage and put their ledgers into the checkpoint; it may then complete or not.
  void checkpoint() {
    const CheckpointId id{++newest_id_};
    std::vector<Committable> state;
    std::vector<Committable> staged;
    for (std::size_t i = 0; i != subtasks_.size(); ++i) {
      Staged event{id, {}, now_};
      for (auto n = random_.below(3); n != 0; --n)
        event.committables.push_back({.checkpoint = id,
                                      .subtask = {static_cast<std::uint32_t>(i)},
                                      .job = {},
                                      .sink = {},
                                      .epoch = {},
                                      .what = std::to_string(n),
                                      .length = 0,
                                      .checksum = 0});
      staged.insert(staged.end(), event.committables.begin(), event.committables.end());
      tell(subtasks_[i], event);
      const auto snapshot = subtasks_[i].ledger.snapshot();
      state.insert(state.end(), snapshot.pending.begin(), snapshot.pending.end());
    }
    since_complete_.insert(since_complete_.end(), staged.begin(), staged.end());
    if (random_.one_in(3)) return;  // Aborted: its output waits for the next one.
    complete_ = id;
    state_ = state;
    wanted_.insert(since_complete_.begin(), since_complete_.end());
    since_complete_.clear();
  }

  void answer(Subtask& subtask) {
    if (!subtask.batch) return;
    const auto batch = *subtask.batch;
    subtask.batch.reset();
    const auto size = batch.committables.size();
    const bool fails = random_.one_in(3);
    const auto reached = fails ? random_.below(size) : size;  // so many become visible
    for (std::size_t i = 0; i != reached; ++i) show(batch.committables[i]);
    if (!fails) return tell(subtask, CommitDone{batch.batch, now_});
    // It may know of fewer than became visible: the reply was lost.
    const auto known = reached == 0 ? 0 : random_.below(reached + 1);
    tell(subtask, CommitFailed{batch.batch, known, Error{Code::kUnavailable, "no reply"}, now_});
  }

  void show(const Committable& committable) {
    if (committable.checkpoint > complete_) wrong_ = "visible before its checkpoint is complete";
    visible_.insert(committable);
  }

  // No more faults: all that belongs to completed checkpoints becomes visible, and the ledgers
  // know.
  void finish() {
    start();
    for (int i = 0; i != 10'000 && wrong_.empty(); ++i) {
      bool done = true;
      for (auto& subtask : subtasks_) {
        answer(subtask);
        if (subtask.wake != Instant::never()) now_ = std::max(now_, subtask.wake);
        tell(subtask, TimerFired{now_});
        done = done && subtask.ledger.may_finish();
      }
      if (done) break;
    }
    if (wrong_.empty() && visible_ != wanted_) wrong_ = "output was lost, or was never to be seen";
  }

  void tell(Subtask& subtask, const Input& input) {
    for (const auto& output : subtask.ledger.step(input)) {
      if (const auto* commit = std::get_if<Commit>(&output)) {
        if (subtask.batch) wrong_ = "two batches at once";
        if (!std::is_sorted(commit->committables.begin(), commit->committables.end()))
          wrong_ = "out of order";
        subtask.batch = *commit;
      } else if (const auto* wake = std::get_if<WakeAt>(&output)) {
        subtask.wake = wake->when;
      } else {
        wrong_ = std::get<Fail>(output).error.what;
      }
    }
  }

  Random random_;
  std::vector<Subtask> subtasks_;
  std::string wrong_;
  Instant now_{};
  std::uint64_t newest_id_ = 0;
  CheckpointId complete_{};
  std::vector<Committable> state_;           // of the newest completed checkpoint
  std::vector<Committable> since_complete_;  // staged by this run, in no completed checkpoint yet
  std::set<Committable> wanted_;
  std::set<Committable> visible_;
};

TEST(CommitLedgerRandom, WhatCompletedIsVisibleOnceAndNothingElse) {
  for (std::uint64_t seed = 0; seed != 2000; ++seed)
    ASSERT_EQ(World(seed).run(), "") << "seed=" << seed;
}

#if WEIR_MUTANTS
class CommitMutant : public ::testing::TestWithParam<Mutant> {};

TEST_P(CommitMutant, IsNoticed) {
  switch_on(GetParam());
  std::string wrong;
  for (std::uint64_t seed = 0; seed != 100 && wrong.empty(); ++seed) wrong = World(seed).run();
  switch_on(Mutant::kNone);
  EXPECT_NE(wrong, "");
}

INSTANTIATE_TEST_SUITE_P(Both, CommitMutant,
                         ::testing::Values(Mutant::kCommitBeforeCompletion,
                                           Mutant::kCommitForgottenAfterRestore));
#endif

}  // namespace
}  // namespace weir::commit
