// A disk of 10 MB/s under a job whose state changes faster than that: saved state that waits to be written stays within its
// limit, and records flow all the same.

#include "tests/support/sim_engine.h"
#include "weir/connectors/collect/collect_sink.h"
#include "weir/connectors/sequence/sequence_source.h"
#include "weir/datastream/keyed_stream.h"

namespace weir {
namespace {

constexpr std::uint64_t kKeys = 20'000;

struct Count {
  using Output = std::uint64_t;
  struct State {
    operators::ValueState<std::array<std::uint64_t, 7>> totals{"totals"};
  };
  void process(const std::uint64_t&, State& state, operators::Collector<std::uint64_t>&) {
    ++state.totals.update()[0];
    ++*processed;
  }
  std::uint64_t* processed = nullptr;
};

TEST(SlowDisk, StagingStaysUnderItsLimitWhileRecordsFlow) {
  sim::SimOptions machine;
  machine.disk_bytes_per_second = 10'000'000;
  machine.step_cost = {Duration::micros(50), Duration::micros(500)};
  sim::World world(1, machine);
  std::uint64_t processed = 0;

  datastream::ProgramBuilder builder;
  const auto make = [](std::uint64_t i) { return i * 7919 % kKeys; };
  const auto source =
      std::make_shared<const connectors::SequenceSource<std::uint64_t, decltype(make)>>(
          0, 2'000'000, 0, make);
  const auto output = std::make_shared<connectors::Collected<std::uint64_t>>();
  datastream::add_source<std::uint64_t>(builder, source, "updates")
      .key_by([](const std::uint64_t& key) { return key; })
      .process(Count{.processed = &processed})
      .sink_to(std::make_shared<const connectors::CollectSink<std::uint64_t>>(output));

  test::SimEngine engine(world);
  cluster::EngineOptions options{.job_name = "slow disk"};
  options.checkpoints.interval = Duration::millis(50);
  options.limits.batch_records = 64;
  options.limits.moves_per_step = 1;
  options.watchdog.aborts = true;
  options.staging = {.limit_bytes = 128u << 10, .chunk_bytes = 8u << 10, .spare_chunks = 2};
  ASSERT_TRUE(engine.start(options, builder.build("slow disk", graph::Chaining::kOn)));

  // The third checkpoint, when all keys are there: 20,000 entries of 64 bytes take the disk some 130 ms.
  auto& completed = engine.metrics().metric("checkpoint.completed");
  ASSERT_EQ(world.run([&] { return completed.value() == 2; }).why, sim::RunResult::Why::kCondition);
  const auto before = processed;
  const auto second = engine.metrics().metric("checkpoint.last_id").value();
  ASSERT_EQ(world.run([&] { return completed.value() == 3; }).why, sim::RunResult::Why::kCondition);
  const auto during = processed - before;

  const auto values = engine.metrics().values();
  EXPECT_GT(values.at("checkpoint.last_bytes"), 20'000u * 64);
  EXPECT_GT(during, 1'000u) << "records stood still while the checkpoint was written";
  EXPECT_LE(values.at("checkpoint.staging_peak_bytes"), options.staging.limit_bytes);
  // It took longer than the interval: the next one waited for it, and nothing else came of that.
  EXPECT_GT(values.at("checkpoint.last_duration_us"), 50'000u);
  EXPECT_EQ(values.at("checkpoint.last_id"), second + 1);
  EXPECT_EQ(engine.metrics().metric("checkpoint.aborted").value(), 0u);
  EXPECT_EQ(engine.metrics().metric("job.restarts").value(), 0u);
  // The limit was felt: the disk was slower than the state's changes.
  EXPECT_GT(engine.metrics().sum("subtask.process", ".staging_waits"), 0u);
}

}  // namespace
}  // namespace weir
