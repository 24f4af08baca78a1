#include "weir/connectors/collect/collect_sink.h"

#include <gtest/gtest.h>

namespace weir::connectors {
namespace {

using Values = std::vector<int>;
using Into = std::shared_ptr<Collected<int>>;

// One attempt of one Subtask of a collect sink.
class Attempt {
 public:
  Attempt(const Into& into, AttemptId attempt, std::optional<CheckpointId> restored,
          JobId job = {{1}})
      : sink_(into), committer_(into) {
    context_.job = job;
    context_.sink = operator_id_of("out");
    context_.epoch = {1};
    context_.attempt = attempt;
    context_.restored = restored;
    EXPECT_TRUE(writer_->open(context_));
  }
  std::vector<commit::Committable> stage(CheckpointId id, const Values& values) {
    stream::RecordBatch<int> batch;
    for (const auto value : values) batch.append() = value;
    EXPECT_EQ(*writer_->write(batch, 0), batch.size());
    return writer_->stage(id);
  }
  Committer::Outcome commit(const std::vector<commit::Committable>& parts) {
    return committer_.commit(parts);
  }

 private:
  const CollectSink<int> sink_;
  SinkContext context_;
  const std::unique_ptr<SinkWriter<int>> writer_ = sink_.make_writer();
  CollectCommitter<int> committer_;
};

TEST(CollectSink, RecordsAreVisibleOnceWhenTheirPartIsCommitted) {
  const auto into = std::make_shared<Collected<int>>();
  Attempt attempt(into, {1}, std::nullopt);
  const auto parts = attempt.stage({1}, {1, 2});
  EXPECT_TRUE(into->values().empty());
  EXPECT_TRUE(attempt.commit(parts).status);
  EXPECT_TRUE(attempt.commit(parts).status);
  EXPECT_EQ(into->values(), (Values{1, 2}));
  EXPECT_TRUE(attempt.stage({2}, {}).empty());
}

TEST(CollectSink, AnAttemptForgetsWhatEarlierOnesStagedBehindItsCheckpoint) {
  const auto into = std::make_shared<Collected<int>>();
  Attempt first(into, {1}, std::nullopt);
  const auto of_one = first.stage({1}, {1});
  const auto of_two = first.stage({2}, {2});
  Attempt second(into, {2}, CheckpointId{1});
  EXPECT_EQ(into->staged_parts(), 1u);
  const auto again = second.stage({3}, {2});
  EXPECT_TRUE(second.commit(of_one).status) << "the checkpoint that it restored speaks of it";
  EXPECT_FALSE(second.commit(of_two).status);
  // Another Subtask of the same attempt begins later.
  Attempt neighbour(into, {2}, CheckpointId{1});
  EXPECT_TRUE(second.commit(again).status);
  EXPECT_EQ(into->values(), (Values{1, 2}));
  EXPECT_EQ(into->staged_parts(), 0u);
}

TEST(CollectSink, APartOfAProcessThatIsGoneIsAnError) {
  const auto gone = std::make_shared<Collected<int>>();
  const auto parts = Attempt(gone, {1}, std::nullopt).stage({1}, {1});
  Attempt later(std::make_shared<Collected<int>>(), {2}, CheckpointId{1});
  const auto outcome = later.commit(parts);
  EXPECT_EQ(outcome.committed, 0u);
  ASSERT_FALSE(outcome.status);
  EXPECT_NE(outcome.status.error().what.find("is gone"), std::string::npos);
}

TEST(CollectSink, TwoJobsMayCollectIntoOnePlace) {
  const auto into = std::make_shared<Collected<int>>();
  for (const auto& [job, value] : {std::pair(JobId{{1}}, 1), std::pair(JobId{{2}}, 2)}) {
    Attempt attempt(into, {1}, std::nullopt, job);
    EXPECT_TRUE(attempt.commit(attempt.stage({1}, {value})).status);
  }
  EXPECT_EQ(into->values(), (Values{1, 2}));
}

}  // namespace
}  // namespace weir::connectors
