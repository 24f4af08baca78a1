#include "weir/jobmaster/state_assignment.h"

namespace weir::jobmaster {
namespace {

// numbers -> count, dealt by key; count has so many Subtasks.
graph::JobGraph job_with(std::uint32_t parallelism, std::uint32_t max_parallelism = 0) {
  graph::StreamGraph stream{.job_name = "job",
                            .nodes = {{.name = "numbers", .uid = "n", .is_source = true},
                                      {.name = "count",
                                       .uid = "c",
                                       .parallelism = parallelism,
                                       .max_parallelism = max_parallelism,
                                       .is_keyed = true}},
                            .edges = {{.from = {0},
                                       .to = {1},
                                       .partitioning = graph::Partitioning::kHash,
                                       .columns = {.hashes = true}}}};
  return graph::chain(std::move(stream), graph::Chaining::kOn);
}

Bytes bytes_of_number(std::uint8_t n) { return Bytes(1, std::byte{n}); }

// A checkpoint of that job in which Subtask i of count holds the keyed bytes {i} and the lists {100
// + i}.
checkpoint::CompletedCheckpoint checkpoint_of(std::uint32_t parallelism,
                                              std::uint32_t max_parallelism = 128) {
  checkpoint::OperatorState numbers{.id = operator_id_of("n"),
                                    .uid = "n",
                                    .name = "numbers",
                                    .parallelism = 1,
                                    .max_parallelism = 128,
                                    .subtasks = {{.id = operator_id_of("n")}},
                                    .progress = {checkpoint::SubtaskProgress::kRunning}};
  checkpoint::OperatorState count{.id = operator_id_of("c"),
                                  .uid = "c",
                                  .name = "count",
                                  .parallelism = parallelism,
                                  .max_parallelism = max_parallelism};
  for (std::uint32_t i = 0; i != parallelism; ++i) {
    count.subtasks.push_back({.id = count.id,
                              .keyed = {{key_groups_of({i}, {parallelism, max_parallelism}),
                                         bytes_of_number(static_cast<std::uint8_t>(i))}},
                              .lists = bytes_of_number(static_cast<std::uint8_t>(100 + i))});
    count.progress.push_back(checkpoint::SubtaskProgress::kRunning);
  }
  return {.id = {7}, .operators = {numbers, count}};
}

std::vector<std::uint8_t> keyed_of(const rpc::TaskDeployment& task) {
  std::vector<std::uint8_t> from;
  for (const auto& handle : task.operators.at(0).keyed)
    from.push_back(static_cast<std::uint8_t>(std::get<Bytes>(handle.where)[0]));
  return from;
}

using From = std::vector<std::uint8_t>;

TEST(StateAssignment, WithoutACheckpointEverySubtaskStartsEmpty) {
  const auto tasks = assign_state(job_with(2), nullptr, {4}, UnclaimedState::kRefused);
  ASSERT_TRUE(tasks);
  ASSERT_EQ(tasks->size(), 3u);
  EXPECT_EQ((*tasks)[2].execution, (ExecutionId{{1}, {1}, {4}}));
  for (const auto& task : *tasks) {
    EXPECT_TRUE(task.operators.empty());
    EXPECT_FALSE(task.was_finished);
  }
}

TEST(StateAssignment, AtTheSameParallelismEachSubtaskGetsItsOwn) {
  const auto checkpoint = checkpoint_of(2);
  const auto tasks = *assign_state(job_with(2), &checkpoint, {1}, UnclaimedState::kRefused);
  EXPECT_EQ(keyed_of(tasks[1]), From{0});
  EXPECT_EQ(keyed_of(tasks[2]), From{1});
}

TEST(StateAssignment, FromTwoToThreeAndToOneEachSubtaskGetsTheFilesThatOverlapItsKeyGroups) {
  // Of 128 KeyGroups two Subtasks hold 0-63 and 64-127; three get 0-42, 43-85 and 86-127.
  const auto two = checkpoint_of(2);
  const auto wider = *assign_state(job_with(3), &two, {1}, UnclaimedState::kRefused);
  EXPECT_EQ(keyed_of(wider[1]), From{0});
  EXPECT_EQ(keyed_of(wider[2]), (From{0, 1}));
  EXPECT_EQ(keyed_of(wider[3]), From{1});

  const auto three = checkpoint_of(3);
  const auto narrower = *assign_state(job_with(1), &three, {1}, UnclaimedState::kRefused);
  EXPECT_EQ(keyed_of(narrower[1]), (From{0, 1, 2}));
}

TEST(StateAssignment, EverySubtaskSeesTheListsOfAllInTheirOrderAlsoOfOneThatHadNone) {
  auto checkpoint = checkpoint_of(3);
  checkpoint.operators[1].subtasks[1].lists.reset();
  const auto tasks = *assign_state(job_with(2), &checkpoint, {1}, UnclaimedState::kRefused);
  for (std::size_t i = 1; i != tasks.size(); ++i) {
    const auto& lists = tasks[i].operators[0].lists;
    ASSERT_EQ(lists.size(), 3u);
    EXPECT_EQ(std::get<Bytes>(lists[0]), bytes_of_number(100));
    EXPECT_EQ(std::get<Bytes>(lists[1]), Bytes{});
    EXPECT_EQ(std::get<Bytes>(lists[2]), bytes_of_number(102));
  }
}

TEST(StateAssignment, StateOfAnOperatorThatTheJobDoesNotHaveIsRefusedUnlessAllowed) {
  auto checkpoint = checkpoint_of(2);
  checkpoint.operators[1].id = operator_id_of("gone");
  checkpoint.operators[1].uid = "gone";
  const auto refused = assign_state(job_with(2), &checkpoint, {1}, UnclaimedState::kRefused);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error(),
      (Error{Code::kInvalid,
             "restoring checkpoint 7: it holds state of operator 'count' (uid gone, id " +
                 operator_id_of("gone").to_hex() +
                 "), which the job does not have. Give an operator that uid, or drop the state "
                 "with --allow-unclaimed-state"}));
  const auto allowed = *assign_state(job_with(2), &checkpoint, {1}, UnclaimedState::kAllowed);
  EXPECT_TRUE(allowed[1].operators.at(0).keyed.empty());
  // An operator that had no state may go.
  checkpoint.operators[1].subtasks = {{}, {}};
  EXPECT_TRUE(assign_state(job_with(2), &checkpoint, {1}, UnclaimedState::kRefused));
}

TEST(StateAssignment, TellsWhichOperatorsFindTheirStateByPlaceOnly) {
  auto job = job_with(2);
  auto checkpoint = checkpoint_of(2);
  EXPECT_TRUE(found_by_place(job, checkpoint).empty()) << "both have a uid";
  for (std::uint32_t node = 0; node != 2; ++node) {
    job.stream.nodes[node].uid.clear();
    checkpoint.operators[node].uid.clear();
    checkpoint.operators[node].id = graph::operator_id_of(job.stream, {node});
  }
  EXPECT_EQ(found_by_place(job, checkpoint), std::vector<std::string>{"count"})
      << "numbers has no state";
}

TEST(StateAssignment, AnotherMaxParallelismThanTheStatesIsAnError) {
  const auto checkpoint = checkpoint_of(2, 64);
  const auto asked = assign_state(job_with(2, 256), &checkpoint, {1}, UnclaimedState::kRefused);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, Code::kInvalid);
  EXPECT_NE(asked.error().what.find("kept for a max parallelism of 64, the job asks for 256"),
            std::string::npos);
  const auto too_wide = assign_state(job_with(65), &checkpoint, {1}, UnclaimedState::kRefused);
  ASSERT_FALSE(too_wide);
  EXPECT_NE(too_wide.error().what.find(
                "max parallelism of 64, which is lower than the parallelism of 65"),
            std::string::npos);
}

TEST(StateAssignment, WhoNamesNoMaxParallelismTakesTheCheckpoints) {
  const auto checkpoint = checkpoint_of(2, 64);
  const auto adopted = adopt_max_parallelism(job_with(3), checkpoint);
  EXPECT_EQ(adopted.vertices[1].scale.max_parallelism, 64u);
  const auto tasks = assign_state(adopted, &checkpoint, {1}, UnclaimedState::kRefused);
  ASSERT_TRUE(tasks);
  EXPECT_EQ(keyed_of((*tasks)[1]), From{0});
  EXPECT_EQ(adopt_max_parallelism(job_with(2, 256), checkpoint).vertices[1].scale.max_parallelism,
            256u);
}

TEST(StateAssignment, OnlyAVertexOfWhichEverySubtaskWasFinishedIsFinished) {
  auto checkpoint = checkpoint_of(2);
  auto& progress = checkpoint.operators[1].progress;
  progress[0] = checkpoint::SubtaskProgress::kFinished;
  EXPECT_FALSE(
      (*assign_state(job_with(2), &checkpoint, {1}, UnclaimedState::kRefused))[1].was_finished);
  progress[1] = checkpoint::SubtaskProgress::kFinished;
  const auto tasks = *assign_state(job_with(3), &checkpoint, {1}, UnclaimedState::kRefused);
  EXPECT_FALSE(tasks[0].was_finished);
  for (std::size_t i = 1; i != 4; ++i) EXPECT_TRUE(tasks[i].was_finished);
}

}  // namespace
}  // namespace weir::jobmaster
