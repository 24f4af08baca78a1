#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/memory_files.h"
#include "tests/support/sink_attempt.h"

// What every transactional Sink owes. A plugin says
//
//   INSTANTIATE_TEST_SUITE_P(TextFiles, SinkContract, testing::Values(make_world));
namespace weir::connectors {

// A sink, and what a reader sees of its output.
class SinkWorld {
 public:
  using Lines = std::multiset<std::string>;
  virtual ~SinkWorld() = default;
  virtual std::shared_ptr<const Sink<std::string>> make_sink() const = 0;
  virtual Lines visible() = 0;

  test::MemoryFiles& disk() { return disk_; }

 private:
  test::MemoryFiles disk_;
};

// A job that writes the numbers 1 .. last, and nothing else.
struct SinkJob {
  SinkWorld* world = nullptr;
  JobId job{{1}};
  OperatorId sink = operator_id_of("out");
  std::uint64_t last = 12;
  bool has_checkpoints = true;

  std::vector<SinkCheckpoint> completed = {};  // oldest first; the newest is restored
  CheckpointId newest_id{};                    // never used again, whatever became of it
  Epoch epoch{1};
  AttemptId attempt{};

  void configure(config::Configuration& options) const {
    std::ignore = options.declare(kRewindOutput.declaration());
  }
  std::shared_ptr<const Sink<std::string>> make_sink() const { return world->make_sink(); }
};

class SinkContract : public testing::TestWithParam<std::function<std::unique_ptr<SinkWorld>()>> {
 protected:
  using Lines = SinkWorld::Lines;
  using Attempt = SinkAttempt<SinkJob>;

  static Lines numbers(std::uint64_t last) {
    Lines lines;
    for (std::uint64_t n = 1; n <= last; ++n) lines.insert("number " + std::to_string(n));
    return lines;
  }
  static void expect_ok(const Status& status) {
    EXPECT_TRUE(status) << (status ? "" : status.error().what);
  }
  // What a checkpoint holds that is still to be committed.
  static std::vector<commit::Committable> pending_in(const state::OperatorListState& lists) {
    state::ListState<StoredCommittable> stored{"committables"};
    state::OperatorLists restored(lists);
    expect_ok(restored.declare(stored));
    std::vector<commit::Committable> pending;
    for (const auto& one : stored.get()) pending.push_back(one.unstored());
    return pending;
  }
  SinkWorld& world() { return *world_; }
  void begin_another() { world_ = GetParam()(); }

 private:
  std::unique_ptr<SinkWorld> world_ = GetParam()();
};

TEST_P(SinkContract, EveryRecordIsVisibleOnceAtAnyParallelism) {
  for (std::uint32_t parallelism = 1; parallelism <= 4; ++parallelism) {
    begin_another();
    SinkJob job{.world = &world()};
    expect_ok(Attempt(job, world().disk(), parallelism).run());
    EXPECT_EQ(world().visible(), numbers(job.last));
  }
}

TEST_P(SinkContract, WithoutCheckpointsEveryRecordIsVisibleAtTheEnd) {
  SinkJob job{.world = &world(), .has_checkpoints = false};
  Attempt attempt(job, world().disk(), 2);
  expect_ok(attempt.open());
  for (std::uint64_t n = 1; n <= job.last; ++n) expect_ok(attempt.write(n));
  EXPECT_EQ(world().visible(), Lines{});
  expect_ok(attempt.finish());
  EXPECT_EQ(world().visible(), numbers(job.last));
}

TEST_P(SinkContract, NothingIsVisibleBeforeItsCheckpointIsComplete) {
  SinkJob job{.world = &world()};
  Attempt attempt(job, world().disk(), 2);
  expect_ok(attempt.open());
  for (const std::uint64_t n : {1, 2, 3}) expect_ok(attempt.write(n));
  expect_ok(attempt.barrier());
  EXPECT_EQ(world().visible(), Lines{});
  for (const std::uint64_t n : {4, 5}) expect_ok(attempt.write(n));
  attempt.complete();
  expect_ok(attempt.settled());
  EXPECT_EQ(world().visible(), numbers(3));
}

// What it staged for a checkpoint that never was complete belongs to the next one that is.
TEST_P(SinkContract, AnAbortedCheckpointLosesNothing) {
  SinkJob job{.world = &world()};
  Attempt attempt(job, world().disk(), 2);
  expect_ok(attempt.open());
  expect_ok(attempt.write(1));
  expect_ok(attempt.barrier());
  expect_ok(attempt.write(2));
  expect_ok(attempt.barrier());
  attempt.complete();
  expect_ok(attempt.settled());
  EXPECT_EQ(world().visible(), numbers(2));
}

TEST_P(SinkContract, ACheckpointWithNothingWrittenHoldsNothing) {
  SinkJob job{.world = &world()};
  Attempt attempt(job, world().disk(), 1);
  expect_ok(attempt.open());
  expect_ok(attempt.write(1));
  expect_ok(attempt.checkpoint());
  expect_ok(attempt.checkpoint());
  expect_ok(attempt.checkpoint());
  EXPECT_TRUE(pending_in(job.completed.back().lists[0]).empty());
  EXPECT_EQ(world().visible(), numbers(1));
}

// The attempt fails behind any number of records: with its last checkpoint never acknowledged, acknowledged and never
// complete, complete and never told, and told.
TEST_P(SinkContract, AnotherAttemptGoesOnAtAnyParallelismAndNothingIsLostOrDoubled) {
  enum class Known { kNotTaken, kTaken, kComplete, kTold };
  for (const auto known : {Known::kNotTaken, Known::kTaken, Known::kComplete, Known::kTold}) {
    for (std::uint64_t stop = 1; stop <= 10; ++stop) {
      for (std::uint32_t after = 1; after <= 3; ++after) {
        begin_another();
        SinkJob job{.world = &world()};
        {
          Attempt first(job, world().disk(), 2);
          expect_ok(first.run(stop));
          expect_ok(first.write(first.next()));
          if (known >= Known::kTaken) expect_ok(first.barrier());
          if (known >= Known::kComplete) first.remember();
          if (known >= Known::kTold) expect_ok(first.tell());
        }
        const auto early = world().visible();
        EXPECT_EQ(early, numbers(early.size()));
        expect_ok(Attempt(job, world().disk(), after).run());
        ASSERT_EQ(world().visible(), numbers(job.last))
            << "stopped behind " << stop << ", known " << int(known) << ", then " << after;
      }
    }
  }
}

TEST_P(SinkContract, WhatIsCommittedAgainChangesNothing) {
  SinkJob job{.world = &world()};
  Attempt attempt(job, world().disk(), 1);
  expect_ok(attempt.open());
  for (const std::uint64_t n : {1, 2}) expect_ok(attempt.write(n));
  expect_ok(attempt.barrier());
  attempt.remember();
  const auto pending = pending_in(job.completed.back().lists[0]);
  ASSERT_FALSE(pending.empty());
  test::StepEnv env(world().disk());
  const auto committer =
      job.make_sink()->make_committer({.job = job.job, .has_checkpoints = true, .env = &env.env()});
  for (int time = 0; time != 3; ++time) {
    const auto outcome = committer->commit(pending);
    expect_ok(outcome.status);
    EXPECT_EQ(outcome.committed, pending.size());
    EXPECT_EQ(world().visible(), numbers(2));
  }
}

TEST_P(SinkContract, WhatWasNeverStagedCannotBeCommitted) {
  test::StepEnv env(world().disk());
  SinkJob job{.world = &world()};
  expect_ok(Attempt(job, world().disk(), 1).run());
  const auto committer =
      job.make_sink()->make_committer({.job = job.job, .has_checkpoints = true, .env = &env.env()});
  const auto outcome = committer->commit({{.checkpoint = {1000},
                                           .subtask = {0},
                                           .job = job.job,
                                           .sink = job.sink,
                                           .epoch = job.epoch,
                                           .what = "nothing of the kind",
                                           .length = 1}});
  EXPECT_FALSE(outcome.status);
  EXPECT_EQ(outcome.committed, 0u);
  EXPECT_EQ(world().visible(), numbers(job.last));
}

}  // namespace weir::connectors
