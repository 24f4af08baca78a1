#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/step_env.h"
#include "weir/connectors/api/sink_operator.h"

namespace weir::connectors {

// What a completed checkpoint holds of a sink, and where the input went on.
struct SinkCheckpoint {
  CheckpointId id;
  std::uint64_t next = 1;
  std::vector<state::OperatorListState> lists;
};

// One deployment of a job's sink, in the production shell: the sink's own Writer and Committer, the real ledger, and
// everything around it played. What a completed checkpoint holds the Job remembers.
//
//   Job     as connectors/api/sink_contract.h's SinkJob
template <class Job>
class SinkAttempt {
 public:
  SinkAttempt(Job& job, env::FileSystem& files, std::uint32_t parallelism)
      : job_(job), world_(files) {
    job.configure(options_);
    ++job.attempt.value;
    for (std::uint32_t i = 0; i != parallelism; ++i)
      subtasks_.push_back(make_subtask(i, parallelism));
  }
  ~SinkAttempt() {
    world_.settle();
    for (const auto& subtask : subtasks_) EXPECT_TRUE(subtask->sink.is_quiet());
  }

  // Opens, writes, checkpoints, finishes; goes as far as `stop_before` says.
  Status run(std::uint64_t stop_before = ~std::uint64_t{0}) {
    WEIR_TRY(open());
    try {
      while (next_ <= job_.last && next_ < stop_before) {
        for (int i = 0; i != 3 && next_ <= job_.last; ++i) WEIR_TRY(write(next_++));
        if (job_.has_checkpoints) WEIR_TRY(checkpoint());
      }
      if (next_ > job_.last) WEIR_TRY(finish());
    } catch (const ErrorException& e) {
      return e.error();
    }
    return ok();
  }
  Status open() {
    for (std::uint32_t i = 0; i != subtasks_.size(); ++i) WEIR_TRY(open(i));
    return healthy();
  }
  // One of them.
  Status open(std::uint32_t subtask) {
    return subtasks_[subtask]->sink.open(subtasks_[subtask]->context);
  }
  Status write(std::uint64_t number) {
    stream::RecordBatch<std::string> batch({}, 1);
    batch.append() = "number " + std::to_string(number);
    stream::BatchCursor cursor(batch);
    auto& sink = subtasks_[number % subtasks_.size()]->sink;
    while (!cursor.is_done()) {
      if (sink.process(0, cursor, {}) != operators::Progress::kBlockedOnLetter) continue;
      EXPECT_FALSE(sink.is_quiet()) << "it waits for nothing";
      WEIR_TRY(settled());
    }
    return ok();
  }
  // The barrier, and whether all acknowledged it.
  Status barrier() {
    pending_ = {.id = {++job_.newest_id.value}, .next = next_, .lists = {}};
    std::vector<Result<state::OperatorListState>> parts;
    for (const auto& subtask : subtasks_)
      subtask->sink.snapshot(pending_.id)([&](auto lists) { parts.push_back(std::move(lists)); });
    WEIR_TRY(settled());
    EXPECT_EQ(parts.size(), subtasks_.size());
    for (auto& part : parts) {
      WEIR_ASSIGN(auto lists, std::move(part));
      pending_.lists.push_back(std::move(lists));
    }
    return ok();
  }
  // It is complete, and may be restored; the sink is told, or is not any more.
  void remember() { job_.completed.push_back(pending_); }
  Status tell() {
    for (const auto& subtask : subtasks_) subtask->sink.on_checkpoint_complete(pending_.id);
    return settled();
  }
  void complete() {
    remember();
    for (const auto& subtask : subtasks_) subtask->sink.on_checkpoint_complete(pending_.id);
  }
  Status checkpoint() {
    WEIR_TRY(barrier());
    complete();
    return settled();
  }
  Status finish() {
    if (job_.has_checkpoints) {
      WEIR_TRY(checkpoint());
    } else {
      for (const auto& subtask : subtasks_) subtask->sink.on_end_without_checkpoint();
    }
    for (int round = 0; round != 10; ++round) {
      WEIR_TRY(settled());
      bool may_finish = true;
      for (const auto& subtask : subtasks_) may_finish = may_finish && subtask->sink.may_finish();
      if (may_finish) return ok();
      world_.advance(Duration::seconds(10));
      for (const auto& subtask : subtasks_)
        if (subtask->sink.wake_at() <= world_.env().clock.now())
          subtask->sink.on_time(world_.env().clock.now());
    }
    return Error{Code::kTimeout, "the output cannot be committed"};
  }
  // The number that comes next.
  std::uint64_t next() { return next_++; }
  Status settled() {
    world_.settle();
    return healthy();
  }

 private:
  struct Subtask {
    operators::OperatorContext context;
    SinkOperator<std::string> sink;
  };

  std::unique_ptr<Subtask> make_subtask(std::uint32_t i, std::uint32_t parallelism) {
    operators::OperatorContext context{.job = job_.job,
                                       .epoch = job_.epoch,
                                       .attempt = job_.attempt,
                                       .id = job_.sink,
                                       .name = "out[" + std::to_string(i) + "]",
                                       .subtask = {i},
                                       .parallelism = parallelism,
                                       .has_checkpoints = job_.has_checkpoints,
                                       .env = &world_.env(),
                                       .options = &options_,
                                       .post = world_.post()};
    if (!job_.completed.empty()) {
      const auto& from = job_.completed.back();
      context.restored = from.id;
      context.lists = state::OperatorLists(state::share_of(from.lists, i, parallelism));
      next_ = from.next;
    }
    return std::unique_ptr<Subtask>(
        new Subtask{std::move(context), SinkOperator<std::string>(job_.make_sink())});
  }
  Status healthy() const {
    for (const auto& subtask : subtasks_) WEIR_TRY(subtask->sink.health());
    return ok();
  }

  Job& job_;
  test::StepEnv world_;
  config::Configuration options_;
  std::vector<std::unique_ptr<Subtask>> subtasks_;
  std::uint64_t next_ = 1;
  SinkCheckpoint pending_;
};

}  // namespace weir::connectors
