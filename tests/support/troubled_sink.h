#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "weir/connectors/collect/collect_sink.h"
#include "weir/connectors/sequence/sequence_source.h"

// A sink whose user's code throws, and a source that waits until it may.
namespace weir::test {

// Strikes in one place, so often.
struct Trouble {
  enum class Where {
    kCopy,
    kMakeWriter,
    kMakeCommitter,
    kOpen,  // of a restored writer
    kMakeDurable,
    kCommit
  };
  Where where = Where::kOpen;
  bool throws_number = false;
  std::atomic<int> left = 0;
  std::atomic<int> thrown = 0;

  void strike(Where here) {
    if (where != here || left == 0) return;
    --left;
    ++thrown;
    if (throws_number) throw 5;
    throw std::runtime_error("no door");
  }
};
using Where = Trouble::Where;
using TroublePtr = std::shared_ptr<Trouble>;

class TroubledWriter final : public connectors::SinkWriter<std::uint64_t> {
 public:
  TroubledWriter(TroublePtr trouble, std::unique_ptr<SinkWriter> writer)
      : trouble_(std::move(trouble)), writer_(std::move(writer)) {}

  Result<commit::Outside> open(connectors::SinkContext& context) override {
    if (context.restored) trouble_->strike(Where::kOpen);
    return writer_->open(context);
  }
  Result<std::uint32_t> write(const stream::RecordBatch<std::uint64_t>& batch,
                              std::uint32_t from) override {
    return writer_->write(batch, from);
  }
  std::vector<commit::Committable> stage(CheckpointId id) override { return writer_->stage(id); }
  std::function<void(connectors::StagedDone)> make_durable() override {
    return [trouble = trouble_, durable = writer_->make_durable()](connectors::StagedDone done) {
      trouble->strike(Where::kMakeDurable);
      durable(std::move(done));
    };
  }

 private:
  const TroublePtr trouble_;
  const std::unique_ptr<SinkWriter> writer_;
};

class TroubledCommitter final : public connectors::Committer {
 public:
  TroubledCommitter(TroublePtr trouble, std::unique_ptr<Committer> committer)
      : trouble_(std::move(trouble)), committer_(std::move(committer)) {}

  // The worst moment: everything is visible, and nobody hears of it.
  Outcome commit(const std::vector<commit::Committable>& committables) override {
    auto outcome = committer_->commit(committables);
    trouble_->strike(Where::kCommit);
    return outcome;
  }

 private:
  const TroublePtr trouble_;
  const std::unique_ptr<Committer> committer_;
};

// Collects, with trouble.
class TroubledSink final : public connectors::Sink<std::uint64_t> {
 public:
  TroubledSink(TroublePtr trouble, std::shared_ptr<connectors::Collected<std::uint64_t>> into)
      : trouble_(std::move(trouble)), sink_(std::move(into)) {}

  std::unique_ptr<connectors::SinkWriter<std::uint64_t>> make_writer() const override {
    trouble_->strike(Where::kMakeWriter);
    return std::make_unique<TroubledWriter>(trouble_, sink_.make_writer());
  }
  std::unique_ptr<connectors::Committer> make_committer(
      const connectors::SinkContext& context) const override {
    trouble_->strike(Where::kMakeCommitter);
    return std::make_unique<TroubledCommitter>(trouble_, sink_.make_committer(context));
  }
  std::string name() const override { return "troubled"; }

 private:
  const TroublePtr trouble_;
  const connectors::CollectSink<std::uint64_t> sink_;
};

// Numbers of which the second half comes when there is a checkpoint.
class HeldBack final : public connectors::SourceReader<std::uint64_t> {
 public:
  static constexpr std::uint64_t kLast = 2'000;

  HeldBack(std::unique_ptr<SourceReader> reader, const std::atomic<bool>& is_released)
      : reader_(std::move(reader)), is_released_(is_released) {}

  Status open(connectors::SourceContext& context) override {
    clock_ = &context.env->clock;
    return reader_->open(context);
  }
  Status add_split(ByteView split) override { return reader_->add_split(split); }
  Result<connectors::ReadState> read(stream::RecordBatch<std::uint64_t>& out) override {
    if (!is_released_ && reader_->progress().done >= kLast / 2)
      return connectors::ReadState::kWaits;
    return reader_->read(out);
  }
  std::vector<Bytes> snapshot() override { return reader_->snapshot(); }
  Schema split_schema() const override { return reader_->split_schema(); }
  Instant wake_at() const override { return clock_->now() + Duration::millis(1); }
  void halt() override { reader_->halt(); }
  Share progress() const override { return reader_->progress(); }

 private:
  const std::unique_ptr<SourceReader> reader_;
  const std::atomic<bool>& is_released_;
  env::Clock* clock_ = nullptr;
};

class HeldBackNumbers final : public connectors::Source<std::uint64_t> {
 public:
  explicit HeldBackNumbers(const std::atomic<bool>& is_released) : is_released_(is_released) {}
  std::unique_ptr<connectors::SplitEnumerator> make_enumerator() const override {
    return numbers_.make_enumerator();
  }
  std::unique_ptr<connectors::SourceReader<std::uint64_t>> make_reader() const override {
    return std::make_unique<HeldBack>(numbers_.make_reader(), is_released_);
  }
  std::string name() const override { return "numbers"; }

 private:
  static std::uint64_t same(std::uint64_t number) { return number; }

  const connectors::SequenceSource<std::uint64_t, std::uint64_t (*)(std::uint64_t)> numbers_{
      1, HeldBack::kLast + 1, 0, same};
  const std::atomic<bool>& is_released_;
};

}  // namespace weir::test
