#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/connectors/api/sink.h"
#include "weir/types/serializer.h"

namespace weir::connectors {

// Who staged a part, and for which checkpoint.
struct PartOrigin {
  JobId job;
  OperatorId sink;
  Epoch epoch;
  AttemptId attempt;
  CheckpointId checkpoint;
  SubtaskIndex subtask;

  // What the part is called for ever.
  std::string name() const {
    return job.to_hex() + "-" + sink.to_hex() + "-" + std::to_string(epoch.value) + "-" +
           std::to_string(attempt.value) + "-" + std::to_string(checkpoint.value) + "-" +
           std::to_string(subtask.value);
  }
};

// What a collect sink has gathered. Staged parts wait until they are committed, or until an attempt
// begins that does not know of them.
//
//   Thread  any
template <class T>
class Collected {
 public:
  // What is visible, in the order in which it became so; order is kept within a Subtask.
  std::vector<T> values() const {
    MutexLock lock(mutex_);
    return visible_;
  }

  void stage(const PartOrigin& origin, std::vector<T> values) {
    MutexLock lock(mutex_);
    staged_[origin.name()] = {origin, std::move(values)};
  }
  // An attempt begins from `restored`, or from nothing: what earlier ones of this sink staged after
  // that will never be committed.
  void begin(const PartOrigin& of, std::optional<CheckpointId> restored) {
    MutexLock lock(mutex_);
    std::erase_if(staged_, [&](const auto& entry) {
      const PartOrigin& part = entry.second.origin;
      const bool is_earlier = std::pair(part.epoch, part.attempt) < std::pair(of.epoch, of.attempt);
      return part.job == of.job && part.sink == of.sink && is_earlier &&
             (!restored || part.checkpoint > *restored);
    });
  }
  std::size_t staged_parts() const {
    MutexLock lock(mutex_);
    return staged_.size();
  }
  // False where the part is neither staged nor visible already.
  bool commit(const std::string& part) {
    MutexLock lock(mutex_);
    if (committed_.contains(part)) return true;
    const auto at = staged_.find(part);
    if (at == staged_.end()) return false;
    auto& values = at->second.values;
    visible_.insert(visible_.end(), std::make_move_iterator(values.begin()),
                    std::make_move_iterator(values.end()));
    staged_.erase(at);
    committed_.insert(part);
    return true;
  }

 private:
  struct Part {
    PartOrigin origin;
    std::vector<T> values;
  };
  mutable Mutex mutex_;
  std::vector<T> visible_ WEIR_GUARDED_BY(mutex_);
  std::map<std::string, Part> staged_ WEIR_GUARDED_BY(mutex_);
  std::set<std::string> committed_ WEIR_GUARDED_BY(mutex_);
};

// Gathers the records of one Subtask between two checkpoints.
//
//   Thread  as SinkWriter says
template <class T>
class CollectWriter final : public SinkWriter<T> {
 public:
  explicit CollectWriter(std::shared_ptr<Collected<T>> into) : into_(std::move(into)) {}

  Result<commit::Outside> open(SinkContext& context) override {
    context_ = &context;
    into_->begin(origin({}), context.restored);
    return commit::Outside{};
  }
  Result<std::uint32_t> write(const stream::RecordBatch<T>& batch, std::uint32_t from) override {
    for (auto i = from; i != batch.size(); ++i) values_.push_back(batch[i]);
    return batch.size() - from;
  }
  std::vector<commit::Committable> stage(CheckpointId id) override {
    if (values_.empty()) return {};
    const auto part = origin(id);
    const auto count = values_.size();
    into_->stage(part, std::exchange(values_, {}));
    return {{.checkpoint = id,
             .subtask = context_->subtask,
             .job = context_->job,
             .sink = context_->sink,
             .epoch = context_->epoch,
             .what = part.name(),
             .length = count}};
  }
  std::function<void(StagedDone)> make_durable() override {
    return [](const StagedDone& done) { done(ok()); };
  }

 private:
  PartOrigin origin(CheckpointId id) const {
    return {context_->job,    context_->sink, context_->epoch, context_->attempt, id,
            context_->subtask};
  }

  const std::shared_ptr<Collected<T>> into_;
  SinkContext* context_ = nullptr;
  std::vector<T> values_;
};

// Makes staged parts visible.
//
//   Errors  kInvalid: a part was staged in a process that is gone
//   Thread  as Committer says
template <class T>
class CollectCommitter final : public Committer {
 public:
  explicit CollectCommitter(std::shared_ptr<Collected<T>> into) : into_(std::move(into)) {}

  Outcome commit(const std::vector<commit::Committable>& committables) override {
    for (std::size_t i = 0; i != committables.size(); ++i)
      if (!into_->commit(committables[i].what))
        return {i,
                Error{Code::kInvalid, "committing collected records: part " + committables[i].what +
                                          " was collected by a process that is gone"}};
    return {committables.size(), ok()};
  }

 private:
  const std::shared_ptr<Collected<T>> into_;
};

// Collects records in memory. What a process collected is gone with it: a job that resumes in a new
// process cannot go on with a collect sink that has something left to commit.
//
//   Thread  any; it is only read
template <class T>
class CollectSink final : public Sink<T> {
 public:
  static_assert(!kHasText<T>,
                "collected records must own their bytes: use std::string in place of weir::Text");
  explicit CollectSink(std::shared_ptr<Collected<T>> into) : into_(std::move(into)) {}

  std::unique_ptr<SinkWriter<T>> make_writer() const override {
    return std::make_unique<CollectWriter<T>>(into_);
  }
  std::unique_ptr<Committer> make_committer(const SinkContext&) const override {
    return std::make_unique<CollectCommitter<T>>(into_);
  }
  std::string name() const override { return "collect"; }

 private:
  const std::shared_ptr<Collected<T>> into_;
};

}  // namespace weir::connectors
