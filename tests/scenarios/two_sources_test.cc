// Two parallel sources of the numbers 1 .. 9, summed by parity: how the barrier that comes first waits for the other.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/sim_engine.h"
#include "weir/connectors/collect/collect_sink.h"
#include "weir/connectors/sequence/sequence_source.h"
#include "weir/datastream/keyed_stream.h"
#include "weir/state/api/operator_list_state.h"
#include "weir/state/api/snapshot_reader.h"
#include "weir/storage/api/metadata.h"

namespace weir {
namespace {

// Numbers 0 .. 17 of the sequence are 1 .. 9 twice, so that each reader gets 1 .. 9.
std::uint64_t number_of(std::uint64_t i) { return i % 9 + 1; }

// Keeps the lines about one task's barriers, and what it read in between.
class Story final : public log::Sink {
 public:
  bool wants(log::Level) const override { return true; }
  void write(log::Level, std::string_view line) override {
    const auto is_about_sum = line.find("task=\"sum -> collect[0]\"") != std::string_view::npos;
    if (line.starts_with("BarrierArrived") && is_about_sum) {
      const auto channel = line.substr(line.find("channel=") + 8, 1);
      const auto verdict = line.substr(line.find("verdict=") + 8);
      add("the barrier has come on channel " + std::string(channel) + ": " + unquoted(verdict));
      if (verdict.find("hold") != std::string_view::npos) held_ = std::string(channel);
    } else if (line.starts_with("CutTaken") && is_about_sum) {
      add("the sums are snapshotted");
      held_.clear();
    } else if (line.starts_with("CheckpointComplete")) {
      add("the checkpoint is complete");
    }
  }
  // The sum operator has read a number of a source.
  void on_read(std::uint64_t source) {
    const auto channel = std::to_string(source);
    EXPECT_NE(channel, held_) << "a channel was read that is held back";
    if (!held_.empty())
      add("a number of channel " + channel + " is read while channel " + held_ + " is held back");
  }
  void add(std::string line) {
    if (!is_over) lines.push_back(std::move(line));
  }

  std::vector<std::string> lines;
  bool is_over = false;

 private:
  static std::string unquoted(std::string_view text) {
    std::string result(text);
    std::erase(result, '"');
    return result;
  }
  std::string held_;
};

struct Number {
  std::uint64_t source = 0;
  std::uint64_t value = 0;
};

struct SumParity {
  using Output = std::uint64_t;
  struct State {
    operators::ValueState<std::uint64_t> sum{"sum"};
  };
  void process(const Number& number, State& state, operators::Collector<std::uint64_t>&) {
    story->on_read(number.source);
    state.sum.update() += number.value;
  }
  void on_end(const bool&, State& state, operators::Collector<std::uint64_t>& out) {
    out.emit(state.sum.get_or(0));
  }
  Story* story = nullptr;
};

// The sums by parity that a checkpoint holds, and how far each source had been read.
struct Snapshot {
  std::map<bool, std::uint64_t> sums;
  std::vector<std::uint64_t> offsets;
};

void add_sums(const checkpoint::OperatorSubtaskState& subtask, Snapshot& snapshot) {
  for (const auto& keyed : subtask.keyed) {
    const state::MemoryFile file("sums", std::get<Bytes>(keyed.where));
    auto reader = state::SnapshotReader::open(file);
    ASSERT_TRUE(reader);
    for (const auto& block : reader->blocks()) {
      Bytes bytes;
      ASSERT_TRUE(reader->read(block, bytes));
      auto entries = reader->entries(block, bytes);
      while (const auto entry = entries.next())
        snapshot.sums[*deserialize<bool>(bytes_of(entry->key))] =
            *deserialize<std::uint64_t>(entry->value);
    }
  }
}

void add_offsets(const checkpoint::OperatorSubtaskState& subtask, Snapshot& snapshot) {
  std::uint64_t read = 9;
  if (subtask.lists) {
    const auto lists = state::OperatorListState::deserialise(std::get<Bytes>(*subtask.lists));
    for (const auto& split : lists->elements("splits")) {
      const auto left = *deserialize<connectors::SequenceSplit>(split);
      read -= left.end - left.next;
    }
  }
  snapshot.offsets.push_back(read);
}

using Output = std::shared_ptr<connectors::Collected<std::uint64_t>>;

operators::Program two_sources(Story& story, const Output& output) {
  datastream::ProgramBuilder builder;
  builder.set_default_parallelism(2);
  const auto make = [](std::uint64_t i) { return Number{i / 9, number_of(i)}; };
  const auto source =
      std::make_shared<const connectors::SequenceSource<Number, decltype(make)>>(0, 18, 2, make);
  const auto numbers = datastream::add_source<Number>(builder, source, "numbers");
  builder.set_default_parallelism(1);
  numbers.key_by([](const Number& number) { return number.value % 2 != 0; })
      .process(SumParity{.story = &story})
      .name("sum")
      .uid("sum")
      .sink_to(std::make_shared<const connectors::CollectSink<std::uint64_t>>(output));
  return builder.build("two sources", graph::Chaining::kOn);
}

// What the newest checkpoint on the disk holds.
Snapshot read_snapshot(sim::World& world, const test::SimEngine& engine, std::uint64_t id) {
  Snapshot snapshot;
  const auto bytes =
      world.disk().content(engine.directory() + "/chk-" + std::to_string(id) + "/_metadata");
  EXPECT_TRUE(bytes) << engine.directory();
  const auto metadata = storage::decode_metadata(bytes_of(bytes.value_or("")), "_metadata");
  EXPECT_TRUE(metadata);
  if (!metadata) return snapshot;
  for (const auto& op : metadata->checkpoint.operators) {
    for (const auto& subtask : op.subtasks) {
      if (op.name == "sum") add_sums(subtask, snapshot);
      if (op.name == "numbers") add_offsets(subtask, snapshot);
    }
  }
  return snapshot;
}

void expect_told(const Story& story) {
  std::ostringstream told;
  for (const auto& line : story.lines) told << line << "\n";
  const std::string path = std::string(WEIR_STORIES_DIR) + "/two_sources.txt";
  if (std::getenv("WEIR_REWRITE")) std::ofstream(path) << told.str();
  std::ostringstream want;
  want << std::ifstream(path).rdbuf();
  EXPECT_EQ(told.str(), want.str());
}

TEST(TwoSources, TheBarrierThatComesFirstWaitsForTheOtherAndThenTheSumsAreSnapshotted) {
  // With this seed reader 0 gets the first run of numbers, and the barriers come far enough apart
  // for records to be read between them.
  sim::SimOptions machine;
  machine.step_cost = {Duration::micros(100), Duration::millis(3)};
  sim::World world(56, machine);
  Story story;
  log::set_sink(&story);
  const auto output = std::make_shared<connectors::Collected<std::uint64_t>>();
  test::SimEngine engine(world);
  cluster::EngineOptions options{.job_name = "two sources"};
  options.checkpoints.interval = Duration::millis(10);
  options.checkpoints.retained = 100;
  options.limits.batch_records = 1;
  options.limits.moves_per_step = 1;
  options.watchdog.aborts = true;
  ASSERT_TRUE(engine.start(options, two_sources(story, output)));

  // Until the first checkpoint is complete.
  world.run([&] { return engine.metrics().metric("checkpoint.completed").value() == 1; });
  story.is_over = true;
  const auto snapshot =
      read_snapshot(world, engine, engine.metrics().metric("checkpoint.last_id").value());
  world.run([&] { return engine.end().has_value(); });
  log::set_sink(nullptr);
  expect_told(story);

  // What was read of the sources before their barriers, and nothing else, is in the sums.
  std::map<bool, std::uint64_t> sums;
  ASSERT_EQ(snapshot.offsets.size(), 2u);
  for (const auto offset : snapshot.offsets)
    for (std::uint64_t n = 1; n <= offset; ++n) sums[n % 2 != 0] += n;
  EXPECT_EQ(snapshot.sums, sums);
  EXPECT_EQ(engine.end()->kind, jobmaster::JobEnd::Kind::kFinished);
  auto values = output->values();
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<std::uint64_t>{40, 50}));
}

}  // namespace
}  // namespace weir
