#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "weir/base/mutex.h"
#include "weir/connectors/api/source.h"
#include "weir/types/serializer.h"

namespace examples {

// Holds a GatedNumbers source back behind some number until it is opened.
//
//   Thread  any
class Gate {
 public:
  explicit Gate(int behind) : behind_(behind) {}

  // Called once, when the number before the gate has been read.
  void on_reached(std::function<void()> hook) {
    weir::MutexLock lock(mutex_);
    on_reached_ = std::move(hook);
  }
  void open() {
    std::function<void()> wake;
    {
      weir::MutexLock lock(mutex_);
      is_open_ = true;
      wake = wake_;
    }
    if (wake) wake();
  }

  // For the reader: whether it may read on, else whom to wake.
  bool lets_pass(int next, std::function<void()> wake) {
    std::function<void()> reached;
    {
      weir::MutexLock lock(mutex_);
      if (is_open_ || next <= behind_) return true;
      wake_ = std::move(wake);
      reached = std::exchange(on_reached_, nullptr);
    }
    if (reached) reached();
    return false;
  }

 private:
  const int behind_;
  weir::Mutex mutex_;
  bool is_open_ WEIR_GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ WEIR_GUARDED_BY(mutex_);
  std::function<void()> on_reached_ WEIR_GUARDED_BY(mutex_);
};

// What is left of the numbers.
struct NumbersLeft {
  int next = 1;
  int last = 9;
};

class NumbersEnumerator final : public weir::connectors::SplitEnumerator {
 public:
  explicit NumbersEnumerator(int last) : last_(last) {}
  weir::Status open(weir::connectors::SourceContext&,
                    const std::optional<std::vector<weir::Bytes>>& state) override {
    if (!state) {
      split_ = weir::serialize(NumbersLeft{1, last_});
    } else if (!state->empty()) {
      split_ = state->front();
    }
    return weir::ok();
  }
  std::optional<weir::Bytes> next_split(weir::SubtaskIndex) override {
    return std::exchange(split_, std::nullopt);
  }
  bool is_exhausted() const override { return !split_; }
  std::vector<weir::Bytes> snapshot() override {
    return split_ ? std::vector<weir::Bytes>{*split_} : std::vector<weir::Bytes>{};
  }
  weir::Schema state_schema() const override { return weir::schema_of<NumbersLeft>(); }

 private:
  const int last_;
  std::optional<weir::Bytes> split_;
};

class NumbersReader final : public weir::connectors::SourceReader<int> {
 public:
  NumbersReader(std::shared_ptr<Gate> gate, std::function<void(int)> on_offset)
      : gate_(std::move(gate)), on_offset_(std::move(on_offset)) {}

  weir::Status open(weir::connectors::SourceContext& context) override {
    context_ = &context;
    return weir::ok();
  }
  weir::Status add_split(weir::ByteView split) override {
    WEIR_ASSIGN(left_, weir::deserialize<NumbersLeft>(split));
    on_offset_(left_->next - 1);
    return weir::ok();
  }
  weir::Result<weir::connectors::ReadState> read(weir::stream::RecordBatch<int>& out) override {
    using State = weir::connectors::ReadState;
    if (!left_ || left_->next > left_->last) return State::kNeedsSplit;
    const auto post = context_->post;
    if (!gate_->lets_pass(left_->next, [post] { post([] {}); })) return State::kWaits;
    out.append() = left_->next++;
    return State::kMore;
  }
  std::vector<weir::Bytes> snapshot() override {
    if (!left_ || left_->next > left_->last) return {};
    return {weir::serialize(*left_)};
  }
  weir::Schema split_schema() const override { return weir::schema_of<NumbersLeft>(); }
  void halt() override {}

 private:
  const std::shared_ptr<Gate> gate_;
  const std::function<void(int)> on_offset_;
  weir::connectors::SourceContext* context_ = nullptr;
  std::optional<NumbersLeft> left_;
};

// The numbers 1 .. last, held back at a gate. `on_offset` hears how many have been read of what a reader is given.
class GatedNumbers final : public weir::connectors::Source<int> {
 public:
  GatedNumbers(int last, std::shared_ptr<Gate> gate, std::function<void(int)> on_offset)
      : last_(last), gate_(std::move(gate)), on_offset_(std::move(on_offset)) {}

  std::unique_ptr<weir::connectors::SplitEnumerator> make_enumerator() const override {
    return std::make_unique<NumbersEnumerator>(last_);
  }
  std::unique_ptr<weir::connectors::SourceReader<int>> make_reader() const override {
    return std::make_unique<NumbersReader>(gate_, on_offset_);
  }
  std::string name() const override { return "numbers"; }

 private:
  const int last_;
  const std::shared_ptr<Gate> gate_;
  const std::function<void(int)> on_offset_;
};

}  // namespace examples
