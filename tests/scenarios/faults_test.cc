// What a disk does to a job, where a real one would need root for it: it is full, read-only, without
// locks, or its handles are used up.

#include "tests/scenarios/copying_machine.h"

namespace weir::scenarios {
namespace {

// ---- A full disk ----

TEST(FullDisk, TheJobGoesOnWhereFailedCheckpointsAreTolerated) {
  Machine machine;
  SimEngine engine(machine.world);
  ASSERT_TRUE(engine.start(options_of(1'000), copy_job()));
  machine.wait_for(engine, "checkpoint.completed", 1);
  machine.fill("c/");
  const auto read = [&] { return engine.metrics().sum("subtask.", ".records_read"); };
  const auto before = read();
  machine.wait_for(engine, "checkpoint.aborted", 3);
  EXPECT_GT(read(), before) << "records stood still while the disk was full";
  const auto completed = engine.metrics().metric("checkpoint.completed").value();
  machine.make_room();
  machine.wait_for(engine, "checkpoint.completed", completed + 1);
  EXPECT_EQ(machine.wait_for_end(engine).kind, JobEnd::Kind::kFinished);
  EXPECT_EQ(engine.metrics().metric("job.restarts").value(), 0u);
  EXPECT_EQ(visible(machine.world.disk()), all_lines());
}

// Output that cannot be staged cannot wait for a later checkpoint: the Subtask fails.
TEST(FullDisk, WhereTheOutputFindsNoRoomTheJobFailsOverAndResumes) {
  Machine machine;
  SimEngine engine(machine.world);
  ASSERT_TRUE(engine.start(options_of(1'000), copy_job()));
  machine.wait_for(engine, "checkpoint.completed", 1);
  machine.fill("out/");
  machine.wait_for(engine, "job.restarts", 2);
  machine.make_room();
  EXPECT_EQ(machine.wait_for_end(engine).kind, JobEnd::Kind::kFinished);
  EXPECT_EQ(visible(machine.world.disk()), all_lines());
}

TEST(FullDisk, TheJobFailsOverAndResumesWhenThereIsRoom) {
  Machine machine;
  SimEngine engine(machine.world);
  ASSERT_TRUE(engine.start(options_of(), copy_job()));
  machine.wait_for(engine, "checkpoint.completed", 1);
  machine.fill("c/");
  machine.wait_for(engine, "job.restarts", 2);
  machine.make_room();
  EXPECT_EQ(machine.wait_for_end(engine).kind, JobEnd::Kind::kFinished);
  EXPECT_EQ(visible(machine.world.disk()), all_lines());
}

TEST(FullDisk, WithoutARestartStrategyTheJobSaysWhyItEndedAndIsResumedByHand) {
  Machine machine;
  {
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.start(without_restarts(), copy_job()));
    machine.wait_for(engine, "checkpoint.completed", 1);
    machine.fill("c/");
    const auto end = machine.wait_for_end(engine);
    EXPECT_EQ(end.kind, JobEnd::Kind::kFailed);
    expect_words(end,
                 {"Exceeded checkpoint tolerable failure threshold", "No space left on device"});
  }
  machine.make_room();
  machine.expect_finishes();
}

// ---- Disks that are not what a job needs ----

TEST(ReadOnlyOutput, EndsTheJobForGoodBeforeAnythingIsRead) {
  Machine machine;
  machine.world.disk().set_read_only("out", true);
  {
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.start(options_of(), copy_job()));
    const auto end = machine.wait_for_end(engine);
    EXPECT_EQ(end.kind, JobEnd::Kind::kFailed);
    expect_words(end, {"refused", "opening operator text files[0]", "out", "read-only"});
    EXPECT_EQ(engine.metrics().metric("job.restarts").value(), 0u);
  }
  machine.world.disk().set_read_only("out", false);
  machine.expect_finishes();
}

TEST(ReadOnlyOutput, OfAJobThatRunsEndsItForGoodAndItIsResumed) {
  Machine machine;
  {
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.start(options_of(), copy_job()));
    machine.wait_for(engine, "checkpoint.completed", 2);
    machine.world.disk().set_read_only("out", true);
    const auto end = machine.wait_for_end(engine);
    EXPECT_EQ(end.kind, JobEnd::Kind::kFailed);
    expect_words(end, {"refused", "operator text files[0]", "out", "read-only"});
    EXPECT_EQ(engine.metrics().metric("job.restarts").value(), 0u);
  }
  machine.world.disk().set_read_only("out", false);
  machine.expect_finishes();
}

TEST(WithoutLocks, NothingStartsThatWouldKeepCheckpoints) {
  sim::SimOptions options;
  options.has_locks = false;
  Machine machine(options);
  SimEngine engine(machine.world);
  const auto started = engine.start(options_of(), copy_job());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::kInvalid);
  expect_words(started.error().what,
               {"lock", "Without locks two processes could run one job", "--checkpoint-dir"});
  for (const auto& path : machine.world.disk().paths()) {
    EXPECT_FALSE(path.starts_with("out")) << path;
    EXPECT_FALSE(path.ends_with("/run")) << path;
  }
}

TEST(WithoutLocks, AJobWithoutCheckpointsRuns) {
  sim::SimOptions options;
  options.has_locks = false;
  Machine machine(options);
  auto without_checkpoints = without_restarts();
  without_checkpoints.checkpoints.interval.reset();
  machine.expect_finishes(without_checkpoints);
}

TEST(FewOpenFiles, AreEnoughOrNamed) {
  int finished = 0;
  int named = 0;
  for (std::uint32_t files = 1; files <= 20; ++files) {
    sim::SimOptions options;
    options.open_files_max = files;
    Machine machine(options);
    SimEngine engine(machine.world);
    const auto started = engine.start(without_restarts(), copy_job());
    const auto end =
        started ? machine.wait_for_end(engine) : JobEnd{JobEnd::Kind::kFailed, started.error()};
    if (end.kind == JobEnd::Kind::kFinished) {
      ++finished;
      EXPECT_EQ(visible(machine.world.disk()), all_lines());
    } else {
      ++named;
      EXPECT_EQ(end.kind, JobEnd::Kind::kFailed) << files;
      expect_words(end, {"too many open files"});
    }
  }
  EXPECT_GT(finished, 0);
  EXPECT_GT(named, 0);
}

}  // namespace
}  // namespace weir::scenarios
