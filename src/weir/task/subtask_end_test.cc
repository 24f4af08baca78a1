#include "tests/support/subtask_rig.h"
#include "weir/task/subtask.h"

namespace weir::task {
namespace {

using test::CountingSource;
using test::Relay;
using test::SubtaskRig;
using Lines = std::vector<std::string>;

// ---- The end of the input ----

TEST(SubtaskEnd, EndOfDataGoesOnBehindTheLastRecordsAndEndOfPartitionBehindTheCommit) {
  auto relay = std::make_unique<Relay>();
  auto& op = *relay;
  relay->at_finish = 3;
  relay->may_end = false;
  SubtaskRig rig(test::chain_of(std::move(relay)),
                 {.inputs = 2, .has_output = true, .batch_records = 2});
  rig.send(0, {1, 2});
  rig.send_end(0);
  EXPECT_EQ(rig.run_and_receive(), (Lines{"1", "2"}));
  rig.send_end(1);
  EXPECT_EQ(rig.run_and_receive(), (Lines{"1002", "1001", "1000", "end"}));
  EXPECT_EQ(op.log, Lines{"end of input 0"});
  EXPECT_EQ(rig.master.take(), (Lines{"running", "at end"}));
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForCheckpoint);

  rig.send_barrier(0, 5);
  rig.send_barrier(1, 5);
  EXPECT_EQ(rig.run_and_receive(), Lines{"|5"});
  EXPECT_EQ(rig.master.take(), Lines{"ack 5 at end"});
  rig.subtask->tell(Completed{{5}});
  rig.run();
  rig.close(0);
  rig.run();
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForInput);
  rig.close(1);
  rig.run();
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForCommit);
  rig.subtask->tell(Call{0, [&] { op.may_end = true; }});
  EXPECT_EQ(rig.run_and_receive(), Lines{"closed"});
  EXPECT_EQ(rig.master.take(), Lines{"finished"});
  EXPECT_TRUE(rig.is_done());
}

TEST(SubtaskEnd, ACheckpointCutBeforeTheEndIsNotTheFinalOne) {
  SubtaskRig rig(test::chain_of(std::make_unique<Relay>()), {.inputs = 1, .has_output = true});
  rig.send_barrier(0, 1);
  rig.run_and_receive();
  rig.send_end(0);
  rig.run_and_receive();
  rig.close(0);
  rig.subtask->tell(Completed{{1}});
  rig.run_and_receive();
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForCheckpoint);
  EXPECT_EQ(rig.master.take(), (Lines{"running", "ack 1", "at end"}));
  // Its producer has gone: the coordinator triggers it itself.
  rig.trigger(2);
  EXPECT_EQ(rig.run_and_receive(), Lines{"|2"});
  rig.subtask->tell(Aborted{{2}, CheckpointId{1}});
  rig.run();
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForCheckpoint);
  rig.trigger(3);
  EXPECT_EQ(rig.run_and_receive(), Lines{"|3"});
  rig.subtask->tell(Completed{{3}});
  EXPECT_EQ(rig.run_and_receive(), Lines{"closed"});
}

TEST(SubtaskEnd, ASourceEndsWithItsData) {
  SubtaskRig rig(test::chain_of(std::make_unique<CountingSource>(5)),
                 {.has_output = true, .batch_records = 2});
  EXPECT_EQ(rig.run_and_receive(), (Lines{"0", "1", "2", "3", "4", "end"}));
  EXPECT_EQ(rig.master.take(), (Lines{"running", "at end"}));
}

TEST(SubtaskEnd, WithoutCheckpointsItsOutputIsCommittedAtTheEnd) {
  auto relay = std::make_unique<Relay>();
  auto& op = *relay;
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1, .has_checkpoints = false});
  rig.send(0, {1});
  rig.run();
  rig.close(0);
  rig.run();
  EXPECT_EQ(op.log, (Lines{"end of input 0", "end without checkpoint"}));
  EXPECT_EQ(rig.master.take(), (Lines{"running", "finished"}));
}

TEST(SubtaskEnd, OneThatWasFinishedOnlySaysSoAndItsOperatorsAreNotTouched) {
  auto relay = std::make_unique<Relay>();
  auto& op = *relay;
  relay->health_now = Error{Code::kInvalid, "never opened"};
  relay->quiet = false;
  SubtaskRig rig(test::chain_of(std::move(relay)),
                 {.inputs = 1, .has_output = true, .was_finished = true});
  rig.subtask->tell(Completed{{1}});
  rig.subtask->tell(Aborted{{2}, {}});
  rig.subtask->tell(Hint{{0}, {}});
  EXPECT_EQ(rig.run_and_receive(), Lines{"closed"});
  EXPECT_TRUE(op.log.empty());
  EXPECT_EQ(rig.master.take(), (Lines{"running", "finished"}));
}

// ---- Being cancelled ----

TEST(SubtaskEnd, CancelledWhileOpeningItEndsWhenThatIsOver) {
  auto relay = std::make_unique<Relay>();
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1});
  rig.subtask->tell(Cancel{});
  rig.step();
  EXPECT_EQ(rig.subtask->standing(), Standing::kOpening);
  EXPECT_FALSE(rig.is_done());
  rig.run();
  EXPECT_EQ(rig.master.take(), Lines{"cancelled"});
  EXPECT_TRUE(rig.is_done());
}

TEST(SubtaskEnd, CancelledWhileRunningOrBlockedItEndsAtOnce) {
  for (const bool is_blocked : {false, true}) {
    SubtaskRig rig(test::chain_of(std::make_unique<Relay>()),
                   {.inputs = 1, .has_output = true, .batch_records = 1});
    rig.run();
    if (is_blocked) {
      for (std::uint64_t n = 0; n != 5; ++n) {
        rig.send(0, {n});
        rig.run();
      }
      EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForOutput);
    }
    rig.subtask->tell(Cancel{});
    rig.run();
    EXPECT_EQ(rig.master.take(), (Lines{"running", "cancelled"}));
  }
}

TEST(SubtaskEnd, CancelledWhileItUploadsItWaitsForThatAndLeavesNothing) {
  auto relay = std::make_unique<Relay>();
  std::function<void(Result<state::OperatorListState>)> finish_work;
  relay->work = [&](operators::SnapshotDone done) { finish_work = std::move(done); };
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1});
  rig.send_barrier(0, 1);
  rig.run();
  ASSERT_TRUE(finish_work);
  rig.subtask->tell(Cancel{});
  rig.run();
  EXPECT_EQ(rig.subtask->standing(), Standing::kCancelling);
  state::OperatorListState lists;
  lists.add("large", Bytes(100'000));
  finish_work(lists);
  rig.run();
  EXPECT_EQ(rig.master.take(), (Lines{"running", "cancelled"}));
  EXPECT_TRUE(rig.vault->names("").empty());
}

TEST(SubtaskEnd, CancelledAtItsEndItDoesNotWaitForACheckpoint) {
  SubtaskRig rig(test::chain_of(std::make_unique<Relay>()), {.inputs = 1, .has_output = true});
  rig.send_end(0);
  rig.run();
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForCheckpoint);
  rig.subtask->tell(Cancel{});
  rig.run();
  EXPECT_EQ(rig.master.take(), (Lines{"running", "at end", "cancelled"}));
}

TEST(SubtaskEnd, AnAbortedCheckpointRemovesWhatItsUploadHadWritten) {
  auto relay = std::make_unique<Relay>();
  std::vector<operators::SnapshotDone> works;
  relay->work = [&](operators::SnapshotDone done) { works.push_back(std::move(done)); };
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1});
  rig.send_barrier(0, 1);
  rig.run();
  rig.subtask->tell(Aborted{{1}, {}});
  rig.run();
  rig.send_barrier(0, 2);
  rig.run();
  ASSERT_EQ(works.size(), 2u);
  state::OperatorListState lists;
  lists.add("large", Bytes(100'000));
  works[0](lists);
  works[1](lists);
  rig.run();
  EXPECT_EQ(rig.master.take(), (Lines{"running", "ack 2"}));
  const auto names = rig.vault->names("");
  ASSERT_EQ(names.size(), 1u);
  EXPECT_NE(names[0].find("chk-2/"), std::string::npos) << names[0];
}

}  // namespace
}  // namespace weir::task
