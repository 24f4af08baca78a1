#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/steady_state/interposed.h"
#include "weir/connectors/sequence/sequence_enumerator.h"
#include "weir/environment/weir.h"

namespace weir::steady {

// How a job is fed, and when it has gone far enough.
//
//   Thread  the one executor thread
class Feed {
 public:
  virtual ~Feed() = default;
  enum class Span : unsigned char { kWarmUp, kSettling, kCounted };
  virtual void begin(Span span) = 0;
  // Asked again and again: the span is over, and nothing of it is under way any more.
  virtual bool is_over() = 0;
  // Nothing more is counted: the job may end.
  virtual void let_end(const Environment::Control& control) = 0;
};

// What there was at a moment.
struct Counts {
  std::uint64_t allocations = 0;  // by the executor thread
  std::uint64_t locks = 0;        // by the executor thread
  std::map<std::string, std::uint64_t> metrics;
};

// Watches a job from a Subtask of its own on the executor thread: it lets the job warm up, has a checkpoint completed,
// counts what some more work costs, and has another checkpoint completed. So what is counted lies between two.
//
// As all Subtasks share the one thread, each of the others is between two steps whenever the watcher looks.
//
//   Thread  set_control(): any; the rest: the one executor thread
class Window {
 public:
  explicit Window(std::unique_ptr<Feed> feed) : feed_(std::move(feed)) {}

  void set_control(Environment::Control control) {
    control_ = std::move(control);
    is_controlled_.store(true, std::memory_order_release);
  }
  void on_tick() {
    if (!is_controlled_.load(std::memory_order_acquire)) return;
    switch (stage_) {
      case Stage::kBeginning:
        feed_->begin(Feed::Span::kWarmUp);
        return enter(Stage::kWarmingUp);
      case Stage::kWarmingUp:
        if (feed_->is_over()) ask(Stage::kFirstCheckpoint);
        return;
      case Stage::kFirstCheckpoint:
        if (!is_complete(Stage::kFirstCheckpoint)) return;
        feed_->begin(Feed::Span::kSettling);
        return enter(Stage::kSettling);
      case Stage::kSettling:
        if (!feed_->is_over()) return;
        begin_.metrics = control_.metrics();
        count(begin_);
        feed_->begin(Feed::Span::kCounted);
        return enter(Stage::kCounting);
      case Stage::kCounting:
        if (!feed_->is_over()) return;
        count(end_);
        end_.metrics = control_.metrics();
        return ask(Stage::kSecondCheckpoint);
      case Stage::kSecondCheckpoint:
        if (!is_complete(Stage::kSecondCheckpoint)) return;
        feed_->let_end(control_);
        return enter(Stage::kOver);
      case Stage::kOver:
        return;
    }
  }
  // Both checkpoints are complete.
  bool is_over() const { return stage_ == Stage::kOver; }

  // How much was counted, of the vertex's Subtasks together.
  std::uint64_t grown(const std::string& vertex, const std::string& metric) const {
    return sum(end_, vertex, metric) - sum(begin_, vertex, metric);
  }
  std::uint64_t allocations() const { return end_.allocations - begin_.allocations; }
  std::uint64_t locks() const { return end_.locks - begin_.locks; }

 private:
  enum class Stage : unsigned char {
    kBeginning,
    kWarmingUp,
    kFirstCheckpoint,
    kSettling,
    kCounting,
    kSecondCheckpoint,
    kOver
  };
  enum class Answer : unsigned char { kNone, kComplete, kRefused };

  static void count(Counts& counts) {
    counts.allocations = allocations_of_this_thread();
    counts.locks = Mutex::times_taken();
  }
  static std::uint64_t sum(const Counts& counts, const std::string& vertex,
                           const std::string& metric) {
    std::uint64_t all = 0;
    for (const auto& [name, value] : counts.metrics)
      if (name.starts_with("subtask." + vertex + "[") && name.ends_with("]." + metric))
        all += value;
    return all;
  }
  void enter(Stage stage) { stage_ = stage; }
  void ask(Stage stage) {
    enter(stage);
    answer_.store(Answer::kNone, std::memory_order_relaxed);
    control_.trigger_checkpoint([this](const Result<CheckpointId>& completed) {
      answer_.store(completed ? Answer::kComplete : Answer::kRefused, std::memory_order_release);
    });
  }
  bool is_complete(Stage stage) {
    const auto answer = answer_.load(std::memory_order_acquire);
    if (answer == Answer::kRefused) ask(stage);  // Some task is being opened.
    return answer == Answer::kComplete;
  }

  const std::unique_ptr<Feed> feed_;
  Environment::Control control_;
  std::atomic<bool> is_controlled_{false};
  std::atomic<Answer> answer_{Answer::kNone};  // Partner: the JobMaster's answer.
  Stage stage_ = Stage::kBeginning;
  Counts begin_;
  Counts end_;
};

// The watcher as a source that never puts out anything and ends when the Window is over. It is always ready, so the
// executor thread never parks.
class Watcher final : public connectors::Source<std::uint64_t> {
 public:
  explicit Watcher(std::shared_ptr<Window> window) : window_(std::move(window)) {}
  std::unique_ptr<connectors::SplitEnumerator> make_enumerator() const override {
    return std::make_unique<connectors::SequenceEnumerator>(0, 1, 1);
  }
  std::unique_ptr<connectors::SourceReader<std::uint64_t>> make_reader() const override {
    return std::make_unique<Reader>(window_);
  }
  std::string name() const override { return "watcher"; }

 private:
  struct Reader final : connectors::SourceReader<std::uint64_t> {
    explicit Reader(std::shared_ptr<Window> w) : window(std::move(w)) {}
    Status open(connectors::SourceContext&) override { return ok(); }
    Status add_split(ByteView) override { return ok(); }
    Result<connectors::ReadState> read(stream::RecordBatch<std::uint64_t>&) override {
      window->on_tick();
      return window->is_over() ? connectors::ReadState::kNeedsSplit : connectors::ReadState::kMore;
    }
    std::vector<Bytes> snapshot() override { return {}; }
    Schema split_schema() const override { return schema_of<std::uint64_t>(); }
    void halt() override {}
    const std::shared_ptr<Window> window;
  };
  const std::shared_ptr<Window> window_;
};

// What a sink has been given.
//
//   Thread  the one executor thread
struct Dropped {
  std::uint64_t batches = 0;
  std::uint64_t records = 0;
};

// Counts batches and records, and drops them.
template <class T>
class DropSink final : public connectors::Sink<T> {
 public:
  explicit DropSink(std::shared_ptr<Dropped> dropped) : dropped_(std::move(dropped)) {}
  std::unique_ptr<connectors::SinkWriter<T>> make_writer() const override {
    return std::make_unique<Writer>(dropped_);
  }
  std::unique_ptr<connectors::Committer> make_committer(
      const connectors::SinkContext&) const override {
    return nullptr;
  }
  std::string name() const override { return "drop"; }

 private:
  struct Writer final : connectors::SinkWriter<T> {
    explicit Writer(std::shared_ptr<Dropped> d) : dropped(std::move(d)) {}
    Result<commit::Outside> open(connectors::SinkContext&) override { return commit::Outside{}; }
    Result<std::uint32_t> write(const stream::RecordBatch<T>& batch, std::uint32_t from) override {
      ++dropped->batches;
      dropped->records += batch.size() - from;
      return batch.size() - from;
    }
    std::vector<commit::Committable> stage(CheckpointId) override { return {}; }
    std::function<void(connectors::StagedDone)> make_durable() override {
      return [](const connectors::StagedDone& done) { done(ok()); };
    }
    const std::shared_ptr<Dropped> dropped;
  };
  const std::shared_ptr<Dropped> dropped_;
};

}  // namespace weir::steady
