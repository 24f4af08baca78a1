// Between two checkpoints a running job allocates nothing, takes no lock, and calls each operator once per batch.

#include <gtest/gtest.h>

#include <fstream>

#include "bench/reference/records.h"
#include "examples/word_count/word_count.h"
#include "tests/steady_state/window.h"
#include "tests/support/temporary_directory.h"

namespace weir::steady {
namespace {

constexpr std::uint64_t kEndless = std::uint64_t{1} << 60;

// A source without end: a span is over after so many batches at the sink, and the job is suspended at last.
class EndlessFeed final : public Feed {
 public:
  static constexpr std::uint64_t kCountedBatches = 2000;

  explicit EndlessFeed(std::shared_ptr<Dropped> dropped) : dropped_(std::move(dropped)) {}

  void begin(Span span) override {
    until_ = dropped_->batches + (span == Span::kCounted ? kCountedBatches : 300);
  }
  bool is_over() override { return dropped_->batches >= until_; }
  void let_end(const Environment::Control& control) override { control.suspend(); }

 private:
  const std::shared_ptr<Dropped> dropped_;
  std::uint64_t until_ = 0;
};

// A file behind a gate: a span is over when its chunks have been read and everything made of them is processed.
class GatedFeed final : public Feed {
 public:
  static constexpr std::uint64_t kWarmUpChunks = 6;
  static constexpr std::uint64_t kSettlingChunks = 4;
  static constexpr std::uint64_t kCountedChunks = 16;
  static constexpr std::uint64_t kChunks = kWarmUpChunks + kSettlingChunks + kCountedChunks + 1;

  explicit GatedFeed(std::shared_ptr<ReadGate> gate) : gate_(std::move(gate)) {}

  void begin(Span span) override {
    ticks_held_ = 0;
    is_counted_ = span == Span::kCounted;
    if (is_counted_) begin_ = io();
    gate_->let_through(span == Span::kWarmUp     ? kWarmUpChunks
                       : span == Span::kSettling ? kSettlingChunks
                                                 : kCountedChunks);
  }
  // In so many rounds every Subtask has had its turn often enough to process all that there is.
  bool is_over() override {
    if (!gate_->is_held() || ++ticks_held_ <= 100'000) return false;
    if (is_counted_) end_ = io();
    return true;
  }
  void let_end(const Environment::Control&) override { gate_->open(); }

  // What the I/O pool did in the counted span.
  struct Io {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
  };
  Io counted() const { return {end_.reads - begin_.reads, end_.writes - begin_.writes}; }

 private:
  Io io() const { return {gate_->chunks_read(), gate_->writes()}; }

  const std::shared_ptr<ReadGate> gate_;
  bool is_counted_ = false;
  Io begin_;
  Io end_;
  std::uint64_t ticks_held_ = 0;
};

// Enough lines over few words, so that the state does not grow.
void write_words(const std::string& path) {
  std::ofstream file(path);
  const std::uint64_t bytes = GatedFeed::kChunks << 20;
  for (std::uint64_t i = 0; file.tellp() < static_cast<std::streamoff>(bytes); ++i)
    file << "Barrier " << i % 50 << " checkpoint-" << static_cast<char>('a' + i % 26)
         << " uncharacteristically stream\n";
}

class SteadyState : public testing::Test {
 protected:
  void watch(std::unique_ptr<Feed> feed) { window_ = std::make_shared<Window>(std::move(feed)); }
  // One executor thread, which never sleeps; checkpoints only when asked for, and at the end. A busy machine makes steps
  // long, and what warns of it would allocate.
  Environment environment(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"-Dweir.watchdog-aborts=true",
                                          "--log-level",
                                          "error",
                                          "--threads",
                                          "1",
                                          "--checkpoint-dir",
                                          dir_ + "/checkpoints",
                                          "--checkpoint-interval",
                                          "1 h"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Environment env(arguments);
    env.on_running([window = window_](Environment::Control control) {
      window->set_control(std::move(control));
    });
    env.from_source<std::uint64_t>(std::make_shared<const Watcher>(window_), "watcher")
        .set_parallelism(1)
        .sink_to(std::make_shared<const DropSink<std::uint64_t>>(std::make_shared<Dropped>()));
    return env;
  }

  const test::TemporaryDirectory directory_;
  const std::string dir_ = directory_.path();
  std::shared_ptr<Dropped> dropped_ = std::make_shared<Dropped>();
  std::shared_ptr<Window> window_;
};

// The source fills each batch, the fused steps keep a half of it, the sink takes that.
TEST_F(SteadyState, AFusedChain) {
  watch(std::make_unique<EndlessFeed>(dropped_));
  auto env = environment();
  env.from_source(sequence<bench::Wide>(0, kEndless, bench::make_wide))
      .map(bench::mix)
      .filter(bench::keep)
      .map(bench::mix)
      .name("steps")
      .sink_to(std::make_shared<const DropSink<bench::Wide>>(dropped_));
  ASSERT_EQ(env.execute("chain").kind, JobResult::Kind::kSuspended);
  ASSERT_TRUE(window_->is_over());
  const std::string chain = "sequence -> steps -> drop";
  const auto batches = window_->grown(chain, "records_read") / stream::kBatchRecords;
  EXPECT_GE(batches, EndlessFeed::kCountedBatches);
  EXPECT_EQ(window_->grown(chain, "records_read"), batches * stream::kBatchRecords);
  EXPECT_EQ(window_->grown(chain, "process_calls"), batches * 2) << "the fused steps, and the sink";
  EXPECT_EQ(window_->grown(chain, "resumed_calls"), 0u);
  EXPECT_EQ(window_->allocations(), 0u);
  EXPECT_EQ(window_->locks(), 0u);
}

TEST_F(SteadyState, AKeyedSum) {
  watch(std::make_unique<EndlessFeed>(dropped_));
  constexpr std::uint64_t kKeys = 10'000;
  const auto make = [](std::uint64_t i) {
    return i < kKeys ? bench::first_update(i) : bench::make_update(i, kKeys);
  };
  auto env = environment();
  env.from_source(sequence<bench::Update>(0, kEndless, make))
      .key_by(&bench::Update::key)
      .sum(&bench::Update::value)
      .name("sum")
      .set_parallelism(2)
      .sink_to(std::make_shared<const DropSink<Keyed<std::uint64_t, std::uint64_t>>>(dropped_));
  ASSERT_EQ(env.execute("sum").kind, JobResult::Kind::kSuspended);
  ASSERT_TRUE(window_->is_over());
  const auto batches = window_->grown("sum -> drop", "batches_in");
  EXPECT_GE(batches, EndlessFeed::kCountedBatches);
  EXPECT_EQ(window_->grown("sum -> drop", "process_calls"), batches * 2);
  EXPECT_EQ(window_->grown("sum -> drop", "resumed_calls"), 0u);
  EXPECT_EQ(window_->grown("sequence", "process_calls"), 0u) << "it has been given its split";
  EXPECT_EQ(window_->allocations(), 0u);
  EXPECT_EQ(window_->locks(), 0u);
}

// The example's own job. Its lines come from the disk and its counts go there: for each chunk read and each buffer
// written the Subtask hands work to the I/O pool and gets a letter back, and only that takes locks.
TEST_F(SteadyState, WordCount) {
  const auto input = dir_ + "/words.txt";
  write_words(input);
  const auto gate = std::make_shared<ReadGate>(input);
  auto feed = std::make_unique<GatedFeed>(gate);
  const GatedFeed* const counted = feed.get();  // the window's own
  watch(std::move(feed));
  auto env = environment({"--parallelism", "2"});
  examples::word_count(env,
                       {.input = input, .output = dir_ + "/out", .files = {.buffer_bytes = 1024}});
  const auto result = env.execute("word_count");
  ASSERT_EQ(result.kind, JobResult::Kind::kFinished) << result.what;
  ASSERT_TRUE(window_->is_over());
  const auto grown = [&](const char* chain, const char* metric) {
    return window_->grown(chain, metric);
  };
  const char* const reads = "lines -> words";
  const char* const counts = "count -> text files";

  // Each batch of lines is split by one call, and one more for each batch of words that was full before the lines ended.
  const auto line_batches = grown(reads, "inner_batches");
  EXPECT_GE(line_batches, grown(reads, "records_read") / stream::kBatchRecords);
  EXPECT_GT(line_batches, GatedFeed::kCountedChunks);
  EXPECT_EQ(grown(reads, "process_calls") - grown(reads, "resumed_calls"), line_batches);
  EXPECT_LE(grown(reads, "resumed_calls"),
            grown(counts, "records_in") / stream::kBatchRecords + line_batches);

  // Each batch of words is counted by one call; where counts come of it, they are written by another one.
  const auto word_batches = grown(counts, "batches_in");
  const auto count_batches = grown(counts, "inner_batches");
  EXPECT_GE(word_batches, grown(counts, "records_in") / stream::kBatchRecords);
  EXPECT_GT(count_batches, 100u);
  EXPECT_LE(count_batches, word_batches);
  EXPECT_EQ(grown(counts, "process_calls"), word_batches + count_batches);
  EXPECT_EQ(grown(counts, "resumed_calls"), 0u);

  EXPECT_EQ(window_->allocations(), 0u);
  const auto io = counted->counted();
  EXPECT_EQ(io.reads, GatedFeed::kCountedChunks);
  EXPECT_GT(io.writes, 10u);
  // To hand a read over takes the lock of the pool, and its letter that of the mailbox. A write goes through a strand,
  // which has a lock of its own and needs the pool's only where it stood still, and letters may be taken together.
  const auto of_writes = window_->locks() - 2 * io.reads;
  EXPECT_GE(of_writes, io.writes);
  EXPECT_LE(of_writes, 3 * io.writes);
}

}  // namespace
}  // namespace weir::steady
