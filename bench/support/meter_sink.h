#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/reference/records.h"
#include "weir/connectors/api/sink.h"

namespace weir::bench {

inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
inline double million_per_second(std::uint64_t count, std::int64_t begin_ns, std::int64_t end_ns) {
  return static_cast<double>(count) * 1e3 / static_cast<double>(end_ns - begin_ns);
}

// What a MeterSink saw, over all its Subtasks.
//
//   Thread  the sinks add, anybody reads
struct Meter {
  std::atomic<std::uint64_t> records{0};
  std::atomic<std::uint64_t> batches{0};
  // Called for every batch, with its last record's stamp where the records carry one.
  std::function<void(std::int64_t stamp)> on_batch;
};

// Takes batches and does no more with them than make sure that they were written.
template <class T, class Stamp>
class MeterWriter final : public connectors::SinkWriter<T> {
 public:
  MeterWriter(std::shared_ptr<Meter> meter, Stamp stamp)
      : meter_(std::move(meter)), stamp_(std::move(stamp)) {}

  Result<commit::Outside> open(connectors::SinkContext&) override { return commit::Outside{}; }
  Result<std::uint32_t> write(const stream::RecordBatch<T>& batch, std::uint32_t from) override {
    consume(batch.data());
    const auto n = batch.size() - from;
    if (n == 0) return n;
    meter_->records.fetch_add(n, std::memory_order_relaxed);
    meter_->batches.fetch_add(1, std::memory_order_relaxed);
    if (meter_->on_batch) meter_->on_batch(stamp_(batch[batch.size() - 1]));
    return n;
  }
  std::vector<commit::Committable> stage(CheckpointId) override { return {}; }
  std::function<void(connectors::StagedDone)> make_durable() override {
    return [](const connectors::StagedDone& done) { done(ok()); };
  }

 private:
  const std::shared_ptr<Meter> meter_;
  const Stamp stamp_;
};

template <class T, class Stamp>
class MeterSink final : public connectors::Sink<T> {
 public:
  MeterSink(std::shared_ptr<Meter> meter, Stamp stamp)
      : meter_(std::move(meter)), stamp_(std::move(stamp)) {}
  std::unique_ptr<connectors::SinkWriter<T>> make_writer() const override {
    return std::make_unique<MeterWriter<T, Stamp>>(meter_, stamp_);
  }
  std::unique_ptr<connectors::Committer> make_committer(
      const connectors::SinkContext&) const override {
    return nullptr;
  }
  std::string name() const override { return "meter"; }

 private:
  const std::shared_ptr<Meter> meter_;
  const Stamp stamp_;
};

template <class T>
auto meter_sink(std::shared_ptr<Meter> meter) {
  const auto no_stamp = [](const T&) { return std::int64_t{0}; };
  return std::make_shared<const MeterSink<T, decltype(no_stamp)>>(std::move(meter), no_stamp);
}
template <class T, class Stamp>
auto meter_sink(std::shared_ptr<Meter> meter, Stamp stamp) {
  return std::make_shared<const MeterSink<T, Stamp>>(std::move(meter), std::move(stamp));
}

}  // namespace weir::bench
