#include "weir/task/subtask.h"

#include "tests/support/subtask_rig.h"
#include "weir/base/mutant.h"

namespace weir::task {
namespace {

using operators::Progress;
using test::CountingSource;
using test::Relay;
using test::SubtaskRig;
using Lines = std::vector<std::string>;

// ---- Barriers and the cut ----

TEST(Subtask, ReadsWhatComesAndSaysThatItRuns) {
  auto relay = std::make_unique<Relay>();
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1, .has_output = true});
  EXPECT_EQ(rig.subtask->standing(), Standing::kOpening);
  rig.send(0, {1, 2, 3});
  EXPECT_EQ(rig.run_and_receive(), (Lines{"1", "2", "3"}));
  EXPECT_EQ(rig.master.take(), Lines{"running"});
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForInput);
  EXPECT_FALSE(rig.subtask->is_busy());
}

TEST(Subtask, HoldsBackTheChannelWhoseBarrierCameFirstUntilTheOthersHasCome) {
  auto relay = std::make_unique<Relay>();
  auto& log = relay->log;
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 2, .has_output = true});
  rig.send(0, {1});
  rig.send_barrier(0, 7);
  rig.send(0, {2});
  EXPECT_EQ(rig.run_and_receive(), (Lines{"1"}));
  rig.send(1, {11, 12});
  EXPECT_EQ(rig.run_and_receive(), (Lines{"11", "12"}));
  rig.send_barrier(1, 7);
  rig.send(1, {13});
  EXPECT_EQ(rig.run_and_receive().front(), "|7");
  EXPECT_EQ(log, Lines{"snapshot 7 after 3"});
  EXPECT_EQ(rig.master.take(), (Lines{"running", "ack 7"}));
}

// The records that an operator had seen at the cut, and those that had left before the barrier.
std::pair<std::size_t, std::size_t> cut_and_barrier(bool is_source) {
  std::size_t at_cut = 0;
  std::vector<std::unique_ptr<operators::Operator>> chain;
  std::function<std::size_t(SubtaskRig&)> seen;
  if (is_source) {
    chain = test::chain_of(std::make_unique<CountingSource>(1'000'000, 3));
  } else {
    chain = test::chain_of(std::make_unique<Relay>());
  }
  auto& op = *chain[0];
  SubtaskRig rig(std::move(chain),
                 {.inputs = is_source ? 0u : 1u, .has_output = true, .batch_records = 2});
  rig.hand.io.run_all();
  if (is_source) {
    for (int i = 0; i != 3; ++i) rig.hand.executor.step_each();
    rig.trigger(1);
    rig.step();
  } else {
    rig.send(0, {1, 2});
    rig.step();
    rig.send_barrier(0, 1);
    rig.send(0, {3, 4});
    rig.step();
  }
  std::size_t before_barrier = 0;
  for (bool has_come = false; !has_come;) {
    for (const auto& word : rig.receive()) {
      has_come = has_come || word == "|1";
      before_barrier += has_come ? 0 : 1;
    }
    rig.step();
    if (!has_come) continue;
    rig.hand.io.run_all();
    rig.step();
    rig.hand.io.run_all();
    rig.step();
  }
  for (int i = 0; i != 20 && rig.master.acknowledged.empty(); ++i)
    rig.hand.io.run_all(), rig.step(), rig.receive();
  if (is_source) {
    const auto bytes = std::get<Bytes>(*rig.master.acknowledged.at(1).operators[0].lists);
    const auto lists = *state::OperatorListState::deserialise(bytes);
    ByteReader in(lists.elements("next")[0]);
    at_cut = in.number<std::uint64_t>();
  } else {
    const auto& line = static_cast<Relay&>(op).log.at(0);
    at_cut = std::stoul(line.substr(line.rfind(' ')));
  }
  return {at_cut, before_barrier};
}

TEST(Subtask, TakesItsCutWithNoRecordBetweenBarrierAndCut) {
  for (const bool is_source : {false, true}) {
    const auto [at_cut, before_barrier] = cut_and_barrier(is_source);
    EXPECT_EQ(at_cut, before_barrier) << (is_source ? "source" : "relay");
  }
}

TEST(Subtask, ARecordBetweenBarrierAndCutWouldBeNoticed) {
  switch_on(Mutant::kRecordBetweenBarrierAndCut);
  const auto source = cut_and_barrier(true);
  const auto relay = cut_and_barrier(false);
  switch_on(Mutant::kNone);
  EXPECT_NE(source.first, source.second);
  EXPECT_NE(relay.first, relay.second);
}

TEST(Subtask, TellsOfEachCheckpointHowLongItsOwnUploadTook) {
  SubtaskRig rig(test::chain_of(std::make_unique<Relay>()), {.inputs = 1});
  rig.run();
  rig.send_barrier(0, 1);
  rig.step();
  rig.hand.clock.advance(Duration::millis(10));
  rig.send_barrier(0, 2);
  rig.step();
  rig.hand.clock.advance(Duration::millis(5));
  rig.run();
  EXPECT_EQ(rig.master.timings.at(1).upload, Duration::millis(15));
  EXPECT_EQ(rig.master.timings.at(2).upload, Duration::millis(5));
}

TEST(Subtask, WhileABarrierFindsNoPlaceInTheOutputNothingIsReadAndNothingCut) {
  auto relay = std::make_unique<Relay>();
  auto& seen = relay->seen;
  auto& log = relay->log;
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1, .has_output = true});
  rig.send_barrier(0, 1);
  rig.run();
  rig.send_barrier(0, 2);
  rig.send(0, {5});
  rig.run();
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForOutput);
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(log, Lines{"snapshot 1 after 0"});
  EXPECT_EQ(rig.run_and_receive(), (Lines{"|1", "|2", "5"}));
  EXPECT_EQ(log, (Lines{"snapshot 1 after 0", "snapshot 2 after 0"}));
}

TEST(Subtask, ABarrierAbortedOnItsWayIsSentToItsEndButNotCut) {
  auto relay = std::make_unique<Relay>();
  auto& log = relay->log;
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1, .has_output = true});
  rig.send_barrier(0, 1);
  rig.run();
  rig.send_barrier(0, 2);
  rig.run();
  ASSERT_EQ(rig.subtask->standing(), Standing::kWaitsForOutput);
  rig.subtask->tell(Aborted{{2}, {}});
  EXPECT_EQ(rig.run_and_receive(), (Lines{"|1", "|2"}));
  EXPECT_EQ(log, (Lines{"snapshot 1 after 0", "aborted 2"}));
  rig.send_barrier(0, 3);
  EXPECT_EQ(rig.run_and_receive(), Lines{"|3"});
  EXPECT_EQ(rig.master.take(), (Lines{"running", "ack 1", "ack 3"}));
}

TEST(Subtask, AnAlignmentThatIsAbortedLetsItsChannelsGo) {
  SubtaskRig rig(test::chain_of(std::make_unique<Relay>()), {.inputs = 2, .has_output = true});
  rig.send_barrier(0, 1);
  rig.send(0, {1});
  EXPECT_TRUE(rig.run_and_receive().empty());
  rig.subtask->tell(Aborted{{1}, {}});
  EXPECT_EQ(rig.run_and_receive(), Lines{"1"});
  rig.send_barrier(1, 1);
  EXPECT_TRUE(rig.run_and_receive().empty());
}

TEST(Subtask, ANewerBarrierMakesItDeclineTheOlderCheckpoint) {
  SubtaskRig rig(test::chain_of(std::make_unique<Relay>()), {.inputs = 2, .has_output = true});
  rig.send_barrier(0, 1);
  rig.run();
  rig.send_barrier(1, 2);
  rig.run();
  EXPECT_EQ(rig.master.take(), (Lines{"running", "declined 1: rig[0] met a newer barrier"}));
}

TEST(Subtask, ABarrierBeforeItRunsIsDeclined) {
  SubtaskRig rig(test::chain_of(std::make_unique<CountingSource>(10)), {.has_output = true});
  rig.trigger(1);
  rig.step();
  EXPECT_EQ(rig.master.take(), Lines{"declined 1: rig[0] is being opened"});
}

TEST(Subtask, IsBusyWhileItWaitsForTheDiskAndNotWhileOthersMustBringItOn) {
  SubtaskRig rig(test::chain_of(std::make_unique<Relay>()), {.inputs = 1, .has_output = true});
  EXPECT_TRUE(rig.subtask->is_busy());
  rig.run();
  EXPECT_FALSE(rig.subtask->is_busy());
  rig.send_end(0);
  rig.send_barrier(0, 1);
  rig.receive();
  rig.run();
  rig.receive();
  rig.run();
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForCheckpoint);
  EXPECT_FALSE(rig.subtask->is_busy());
  rig.send_barrier(0, 1);
  rig.step();
  EXPECT_TRUE(rig.subtask->is_busy());
  rig.run();
  EXPECT_FALSE(rig.subtask->is_busy());
}

TEST(Subtask, WhenNothingMoreComesItKeepsNoRecordsForABusyConsumer) {
  SubtaskRig rig(test::chain_of(std::make_unique<Relay>()), {.inputs = 1, .has_output = true});
  rig.send(0, {1});
  rig.run();
  // The consumer has not taken that yet: it does not idle.
  rig.send(0, {2});
  rig.run();
  EXPECT_EQ(rig.receive(), (Lines{"1", "2"}));
}

// ---- Its letters ----

TEST(Subtask, WhatSpeaksToOperatorsThatAreBeingOpenedWaitsUntilTheyAre) {
  auto relay = std::make_unique<Relay>();
  auto& log = relay->log;
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1, .has_output = true});
  rig.subtask->tell(Call{0, [&] { log.push_back("called"); }});
  rig.subtask->tell(Completed{{3}});
  rig.subtask->tell(Hint{{5}, {}});
  rig.subtask->tell(Aborted{{4}, {}});
  rig.step();
  EXPECT_TRUE(log.empty());
  rig.run();
  EXPECT_EQ(log, (Lines{"called", "complete 3", "hint 5", "aborted 4"}));
}

TEST(Subtask, ALetterThatThrowsTakesNoOtherWithIt) {
  auto relay = std::make_unique<Relay>();
  SubtaskRig rig(test::chain_of(std::make_unique<Relay>(), std::move(relay)),
                 {.inputs = 1, .has_output = true});
  rig.run();
  rig.subtask->tell(Call{1, [] { throw std::runtime_error("no"); }});
  rig.subtask->tell(Cancel{});
  rig.run();
  EXPECT_EQ(
      rig.master.take(),
      (Lines{"running", "failed: operator op1[0]: the user's function threw: no", "cancelled"}));
  EXPECT_TRUE(rig.is_done());
}

TEST(Subtask, ACompletionIsHeardOnceAndMakesUpForOneThatWasLost) {
  auto relay = std::make_unique<Relay>();
  auto& log = relay->log;
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1, .has_output = true});
  rig.run();
  rig.subtask->tell(Completed{{2}});
  rig.subtask->tell(Completed{{2}});
  rig.subtask->tell(Completed{{1}});
  rig.subtask->tell(Aborted{{4}, CheckpointId{3}});
  rig.run();
  EXPECT_EQ(log, (Lines{"complete 2", "aborted 4", "complete 3"}));
}

// ---- Failures ----

struct Thrower final : operators::Operator {
  explicit Thrower(std::function<void()> what) : what_(std::move(what)) {}
  Status open(operators::OperatorContext&) override { return ok(); }
  Progress process(operators::InputIndex, stream::BatchCursor&, operators::Outputs) override {
    what_();
    return Progress::kDone;
  }
  std::function<void()> what_;
};

std::string failure_of(std::function<void()> what) {
  SubtaskRig rig(test::chain_of(std::make_unique<Thrower>(std::move(what))), {.inputs = 1});
  rig.send(0, {1});
  rig.run();
  EXPECT_EQ(rig.subtask->standing(), Standing::kFailed);
  rig.send(0, {2});
  rig.send_barrier(0, 1);
  rig.subtask->tell(Completed{{1}});
  rig.run();
  auto lines = rig.master.take();
  EXPECT_EQ(lines.size(), 2u);
  rig.subtask->tell(Cancel{});
  rig.run();
  EXPECT_EQ(rig.master.take(), Lines{"cancelled"});
  EXPECT_TRUE(rig.is_done());
  return lines.back();
}

TEST(Subtask, ExceptionsOfEveryKindAreFailuresThatNameTheOperator) {
  EXPECT_EQ(failure_of([] { throw std::runtime_error("five"); }),
            "failed: operator op0[0]: the user's function threw: five");
  EXPECT_EQ(failure_of([] {
              throw ErrorException{{Code::kCorrupt, "reading x: y"}};
            }),
            "failed: operator op0[0]: reading x: y");
  EXPECT_EQ(
      failure_of([] { throw 5; }),
      "failed: operator op0[0]: the user's function threw something that is no std::exception");
}

TEST(Subtask, FailingToOpenIsAFailureAndOnlyIoIsWaitedForWhenItIsCancelled) {
  auto relay = std::make_unique<Relay>();
  auto& op = *relay;
  relay->open_status = Error{Code::kUnavailable, "opening a door"};
  relay->quiet = false;
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1});
  rig.run();
  EXPECT_EQ(rig.master.take(), Lines{"failed: opening a door"});
  rig.subtask->tell(Completed{{1}});
  rig.subtask->tell(Aborted{{2}, {}});
  rig.subtask->tell(Cancel{});
  rig.run();
  EXPECT_FALSE(rig.is_done());
  EXPECT_TRUE(op.log.empty());
  rig.subtask->tell(Call{0, [&] { op.quiet = true; }});
  rig.run();
  EXPECT_EQ(rig.master.take(), Lines{"cancelled"});
}

TEST(Subtask, OpeningThatThrowsIsAFailureThatNamesTheSubtask) {
  auto relay = std::make_unique<Relay>();
  relay->on_open = [](operators::OperatorContext&) { throw std::runtime_error("no key"); };
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1});
  rig.run();
  EXPECT_EQ(rig.master.take(), Lines{"failed: opening rig[0]: the user's function threw: no key"});
}

TEST(Subtask, AnOperatorThatIsUnwellFailsIt) {
  auto relay = std::make_unique<Relay>();
  auto& op = *relay;
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1});
  rig.run();
  rig.subtask->tell(Call{0, [&] {
                           op.health_now = Error{Code::kRefused, "committing: somebody else did"};
                         }});
  rig.run();
  EXPECT_EQ(rig.master.take(),
            (Lines{"running", "failed: operator op0[0]: committing: somebody else did"}));
}

TEST(Subtask, ASnapshotThatFailsIsDeclinedAndTheSubtaskGoesOn) {
  auto relay = std::make_unique<Relay>();
  relay->work = [](const operators::SnapshotDone& done) {
    done(Error{Code::kExhausted, "writing: the disk is full"});
  };
  SubtaskRig rig(test::chain_of(std::move(relay)), {.inputs = 1});
  rig.send_barrier(0, 1);
  rig.send(0, {1});
  rig.run();
  EXPECT_EQ(
      rig.master.take(),
      (Lines{"running",
             "declined 1: exhausted: snapshot of operator op0[0]: writing: the disk is full"}));
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForInput);
}

}  // namespace
}  // namespace weir::task
