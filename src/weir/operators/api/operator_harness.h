#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/error_exception.h"
#include "weir/memory/account.h"
#include "weir/memory/page_source.h"
#include "weir/memory/staging_pool.h"
#include "weir/operators/api/operator.h"
#include "weir/state/api/snapshot_writer.h"
#include "weir/stream/router.h"

namespace weir::operators {

// What an operator held at one moment, to begin another one with.
struct OperatorSnapshot {
  state::OperatorListState lists;
  std::optional<Bytes> keyed;  // a whole file of keyed state, where the operator has any
};

// What an OperatorHarness is built from. References outlive it.
struct HarnessOptions {
  std::uint32_t output_records = stream::kBatchRecords;  // of a batch that the operator fills
  std::uint64_t overflow_bytes_max = std::uint64_t{64} << 20;
  bool timestamps = false;                 // on both edges
  state::StateBackend* backend = nullptr;  // of a keyed operator
  // Of a keyed operator: what writes the hash column of its input.
  std::shared_ptr<stream::Router> router;
  std::uint64_t heap_bytes_max = std::uint64_t{1} << 30;
  std::uint64_t staging_bytes_max = std::uint64_t{1} << 20;
  std::size_t staging_chunk_bytes = std::size_t{64} << 10;
  std::uint32_t max_parallelism = 128;
  std::optional<OperatorSnapshot> restored;
};

// Runs one Operator by hand, without a Subtask: for tests, the user's own among them.
//
//   OperatorHarness<Reading, Alarm> harness(std::make_unique<MyOperator>());
//   harness.open();
//   harness.feed({{"a", 99.0}, {"b", 1.0}});
//   EXPECT_EQ(harness.take(), ...);
//
// What the operator puts out is taken away whenever its output is full, as a Subtask does it, and
// kept until take().
//
//   Errors  what the operator throws passes through; errors of state too, as ErrorException
//   Thread  one
template <class In, class Out>
class OperatorHarness {
 public:
  explicit OperatorHarness(std::unique_ptr<Operator> op, HarnessOptions options = {})
      : options_(std::move(options)),
        account_("operator harness[0]", "state.heap_bytes_max", options_.heap_bytes_max),
        staging_({.limit_bytes = options_.staging_bytes_max,
                  .chunk_bytes = options_.staging_chunk_bytes},
                 pages_),
        op_(std::move(op)),
        output_(std::make_unique<stream::RecordBatch<Out>>(columns(), options_.output_records),
                options_.overflow_bytes_max) {
    context_.name = "harness[0]";
    context_.max_parallelism = options_.max_parallelism;
    context_.key_groups = key_groups_of({0}, {1, options_.max_parallelism});
    context_.post = [this](std::function<void()> function) {
      posted_.push_back(std::move(function));
    };
    context_.send_hint = [](Bytes) {};
  }

  OperatorContext& context() { return context_; }
  Operator& op() { return *op_; }
  Output& output() { return output_; }
  state::KeyedBackend& keyed() { return *backend_; }
  memory::StagingPool& staging() { return staging_; }

  // Declares state and restores it.
  void open() {
    if (options_.backend) {
      backend_ = value_of(options_.backend->open({.operator_name = context_.name,
                                                  .key_groups = context_.key_groups,
                                                  .max_parallelism = context_.max_parallelism,
                                                  .account = account_,
                                                  .pages = pages_,
                                                  .staging = staging_,
                                                  .on_staging_room = listener_}));
      context_.keyed = backend_.get();
    }
    if (options_.restored) {
      context_.restored = CheckpointId{1};
      context_.lists = state::OperatorLists(options_.restored->lists);
    }
    throw_if_not(op_->open(context_));
    throw_if_not(context_.lists.check_all_declared());
    if (!options_.restored || !options_.restored->keyed) return;
    const state::MemoryFile file("snapshot", *options_.restored->keyed);
    const std::reference_wrapper<const state::ByteSource> files[] = {file};
    throw_if_not(backend_->restore(files));
  }

  // An input batch, with the columns that the operator's edge would have.
  std::unique_ptr<stream::RecordBatch<In>> batch_of(
      std::vector<In> records, const std::vector<EventTime>& timestamps = {}) const {
    const auto count = static_cast<std::uint32_t>(records.size());
    auto batch = std::make_unique<stream::RecordBatch<In>>(
        stream::Columns{.timestamps = options_.timestamps, .hashes = options_.router != nullptr},
        std::max(count, 1u));
    for (auto& record : records) batch->append() = std::move(record);
    for (std::size_t i = 0; i != timestamps.size(); ++i) batch->timestamps()[i] = timestamps[i];
    std::vector<std::uint16_t> targets(count);
    if (options_.router) options_.router->route(*batch, 0, 1, targets.data());
    return batch;
  }

  // Has the operator read all records; says what stopped it where something other than a full
  // output did.
  Progress feed(std::vector<In> records, const std::vector<EventTime>& timestamps = {}) {
    const auto batch = batch_of(std::move(records), timestamps);
    stream::BatchCursor cursor(*batch);
    return feed(cursor);
  }
  // The same from a batch that the caller keeps, as far as it goes.
  Progress feed(stream::BatchCursor& cursor, InputIndex input = 0) {
    return until_not_full([&](Outputs outputs) { return op_->process(input, cursor, outputs); });
  }
  // One call of process(): the output is not taken away.
  Progress process(stream::BatchCursor& cursor, InputIndex input = 0) {
    Output* const outputs[] = {&output_};
    return op_->process(input, cursor, outputs);
  }
  // All inputs have ended.
  Progress finish() {
    for (;;) {
      const auto progress = until_not_full([&](Outputs outputs) { return op_->finish(outputs); });
      if (progress != Progress::kMore) return progress;
    }
  }
  // What the operator asked its Subtask to run.
  void run_posted() {
    for (auto& function : std::exchange(posted_, {})) function();
  }

  // Everything put out so far that has not been taken yet.
  std::vector<Out> take() {
    collect();
    return std::exchange(records_, {});
  }
  std::vector<EventTime> take_timestamps() {
    collect();
    return std::exchange(timestamps_, {});
  }
  // The batches behind what take() gives, for records with Texts: they live until this is called
  // again.
  void forget_batches() { batches_.clear(); }

  OperatorSnapshot snapshot(CheckpointId id = {1}) {
    OperatorSnapshot snapshot;
    if (const auto work = op_->snapshot(id)) {
      work([&](Result<state::OperatorListState> lists) {
        snapshot.lists = value_of(std::move(lists));
      });
    }
    if (backend_) snapshot.keyed = save(id);
    return snapshot;
  }

 private:
  struct Listener final : memory::RoomListener {
    void on_room() noexcept override {}
  };
  struct Blocks final : state::SnapshotOutput {
    void take(state::StagedBlock block) override {
      state::DenseBlock dense;
      block.encode(dense);
      blocks.push_back(std::move(dense));
    }
    std::vector<state::DenseBlock> blocks;
  };

  stream::Columns columns() const { return {.timestamps = options_.timestamps, .hashes = false}; }

  static void throw_if_not(const Status& status) {
    if (!status) throw ErrorException{status.error()};
  }
  template <class T>
  static T value_of(Result<T> result) {
    if (!result) throw ErrorException{result.error()};
    return *std::move(result);
  }

  template <class Call>
  Progress until_not_full(Call call) {
    Output* const outputs[] = {&output_};
    for (;;) {
      const auto progress = call(outputs);
      if (progress != Progress::kBlockedOnOutput) return progress;
      collect();
    }
  }

  // As the end of a chain does it: a batch goes, an empty one takes its place.
  void collect() {
    while (output_.oldest()) {
      auto batch = output_.take_oldest(
          std::make_unique<stream::RecordBatch<Out>>(columns(), options_.output_records));
      const auto& typed = static_cast<const stream::RecordBatch<Out>&>(*batch);
      records_.insert(records_.end(), typed.data(), typed.data() + typed.size());
      if (const auto* times = typed.timestamps())
        timestamps_.insert(timestamps_.end(), times, times + typed.size());
      batches_.push_back(std::move(batch));
    }
  }

  Bytes save(CheckpointId id) {
    Blocks blocks;
    value_of(backend_->cut(id, state::CutKind::kWhole, blocks));
    while (value_of(backend_->walk(1 << 20)).state != state::WalkState::kDone) {
    }
    state::MemoryFile file("snapshot");
    auto writer =
        value_of(state::SnapshotWriter::begin(file, {.checkpoint = id,
                                                     .max_parallelism = context_.max_parallelism,
                                                     .key_groups = context_.key_groups,
                                                     .tables = backend_->tables()}));
    for (const auto& block : blocks.blocks) throw_if_not(writer.append(block));
    throw_if_not(writer.finish());
    return file.bytes();
  }

  const HarnessOptions options_;
  memory::HeapPages pages_;
  memory::Account account_;
  memory::StagingPool staging_;
  Listener listener_;
  OperatorContext context_;
  std::unique_ptr<state::KeyedBackend> backend_;
  std::unique_ptr<Operator> op_;
  Output output_;
  std::vector<std::function<void()>> posted_;
  std::vector<Out> records_;
  std::vector<EventTime> timestamps_;
  std::vector<stream::BatchPtr> batches_;
};

}  // namespace weir::operators
