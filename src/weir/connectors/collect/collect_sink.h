#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/connectors/api/sink.h"
#include "weir/types/serializer.h"

namespace weir::connectors {

// What a collect sink has gathered. Staged parts wait under a name until they are committed.
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

  void stage(const std::string& part, std::vector<T> values) {
    MutexLock lock(mutex_);
    staged_[part] = std::move(values);
  }
  // False where the part is neither staged nor visible already.
  bool commit(const std::string& part) {
    MutexLock lock(mutex_);
    if (committed_.contains(part)) return true;
    const auto at = staged_.find(part);
    if (at == staged_.end()) return false;
    visible_.insert(visible_.end(), std::make_move_iterator(at->second.begin()),
                    std::make_move_iterator(at->second.end()));
    staged_.erase(at);
    committed_.insert(part);
    return true;
  }

 private:
  mutable Mutex mutex_;
  std::vector<T> visible_ WEIR_GUARDED_BY(mutex_);
  std::map<std::string, std::vector<T>> staged_ WEIR_GUARDED_BY(mutex_);
  std::set<std::string> committed_ WEIR_GUARDED_BY(mutex_);
};

template <class T>
class CollectWriter final : public SinkWriter<T> {
 public:
  explicit CollectWriter(std::shared_ptr<Collected<T>> into) : into_(std::move(into)) {}

  Result<commit::Outside> open(SinkContext& context) override {
    context_ = &context;
    return commit::Outside{};
  }
  Result<std::uint32_t> write(const stream::RecordBatch<T>& batch, std::uint32_t from) override {
    for (auto i = from; i != batch.size(); ++i) values_.push_back(batch[i]);
    return batch.size() - from;
  }
  std::vector<commit::Committable> stage(CheckpointId id) override {
    if (values_.empty()) return {};
    const auto part = context_->sink.to_hex() + "-" + std::to_string(context_->epoch.value) + "-" +
                      std::to_string(context_->attempt.value) + "-" + std::to_string(id.value) +
                      "-" + std::to_string(context_->subtask.value);
    const auto count = values_.size();
    into_->stage(part, std::exchange(values_, {}));
    return {{.checkpoint = id,
             .subtask = context_->subtask,
             .job = context_->job,
             .sink = context_->sink,
             .epoch = context_->epoch,
             .what = part,
             .length = count}};
  }
  std::function<void(StagedDone)> make_durable() override {
    return [](const StagedDone& done) { done(ok()); };
  }

 private:
  const std::shared_ptr<Collected<T>> into_;
  SinkContext* context_ = nullptr;
  std::vector<T> values_;
};

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
template <class T>
class CollectSink final : public Sink<T> {
 public:
  static_assert(!kHasText<T>,
                "collected records must own their bytes: use std::string in place of weir::Text");
  explicit CollectSink(std::shared_ptr<Collected<T>> into) : into_(std::move(into)) {}

  std::unique_ptr<SinkWriter<T>> make_writer() const override {
    return std::make_unique<CollectWriter<T>>(into_);
  }
  std::unique_ptr<Committer> make_committer(env::Env&) const override {
    return std::make_unique<CollectCommitter<T>>(into_);
  }
  std::string name() const override { return "collect"; }

 private:
  const std::shared_ptr<Collected<T>> into_;
};

}  // namespace weir::connectors
