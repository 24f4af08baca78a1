// Between two checkpoints a running job allocates nothing, takes no lock, and calls each operator once per batch.

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>

#include "bench/reference/records.h"
#include "examples/word_count/word_count.h"
#include "weir/environment/weir.h"

namespace {
thread_local std::uint64_t allocations = 0;  // by this thread
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weir {
namespace {

// What the executor thread has done so far.
struct Counts {
  std::uint64_t allocations = 0;
  std::uint64_t locks = 0;
};
Counts counts_now() { return {::allocations, Mutex::times_taken()}; }

// Asks for a checkpoint, waits until it is complete and some batches more have gone by, then counts what many batches
// cost, then asks for another checkpoint: so what is counted lies between two.
//
//   Thread  on_batch() on the one executor thread
class Window {
 public:
  explicit Window(std::uint64_t batches) : batches_(batches) {}

  void set_control(Environment::Control control) {
    control_ = std::move(control);
    is_controlled_.store(true, std::memory_order_release);
  }

  void on_batch() {
    if (!is_controlled_.load(std::memory_order_acquire)) return;
    switch (stage_) {
      case Stage::kWarming:
        if (++seen_ < 200) return;
        ask();
        stage_ = Stage::kFirstCheckpoint;
        return;
      case Stage::kFirstCheckpoint:
        if (completed_.load(std::memory_order_acquire) < 1) return;
        seen_ = 0;
        stage_ = Stage::kSettling;
        return;
      case Stage::kSettling:
        if (++seen_ < 200) return;
        seen_ = 0;
        begin_ = counts_now();
        stage_ = Stage::kCounting;
        return;
      case Stage::kCounting:
        if (++seen_ < batches_) return;
        end_ = counts_now();
        ask();
        stage_ = Stage::kSecondCheckpoint;
        return;
      case Stage::kSecondCheckpoint:
        return;
    }
  }

  std::uint64_t completed() const { return completed_.load(); }
  Counts cost() const { return {end_.allocations - begin_.allocations, end_.locks - begin_.locks}; }

 private:
  enum class Stage { kWarming, kFirstCheckpoint, kSettling, kCounting, kSecondCheckpoint };

  void ask() {
    control_.trigger_checkpoint([this](const Result<CheckpointId>& completed) {
      if (completed) completed_.fetch_add(1, std::memory_order_release);
    });
  }

  const std::uint64_t batches_;
  Environment::Control control_;
  std::atomic<bool> is_controlled_{false};
  Stage stage_ = Stage::kWarming;
  std::uint64_t seen_ = 0;
  std::atomic<std::uint64_t> completed_{0};
  Counts begin_;
  Counts end_;
};

// Tells a Window of every batch and drops it.
template <class T>
class WindowSink final : public connectors::Sink<T> {
 public:
  explicit WindowSink(std::shared_ptr<Window> window) : window_(std::move(window)) {}
  std::unique_ptr<connectors::SinkWriter<T>> make_writer() const override {
    return std::make_unique<Writer>(window_);
  }
  std::unique_ptr<connectors::Committer> make_committer(env::Env&) const override {
    return nullptr;
  }
  std::string name() const override { return "window"; }

 private:
  struct Writer final : connectors::SinkWriter<T> {
    explicit Writer(std::shared_ptr<Window> w) : window(std::move(w)) {}
    Result<commit::Outside> open(connectors::SinkContext&) override { return commit::Outside{}; }
    Result<std::uint32_t> write(const stream::RecordBatch<T>& batch, std::uint32_t from) override {
      window->on_batch();
      return batch.size() - from;
    }
    std::vector<commit::Committable> stage(CheckpointId) override { return {}; }
    std::function<void(connectors::StagedDone)> make_durable() override {
      return [](const connectors::StagedDone& done) { done(ok()); };
    }
    const std::shared_ptr<Window> window;
  };
  const std::shared_ptr<Window> window_;
};

class SteadyState : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "steady-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  Environment environment() {
    // One executor thread, which never sleeps while the job runs; checkpoints only when asked for, and at the end.
    Environment env({"--threads", "1", "--checkpoint-dir", dir_ + "/checkpoints",
                     "--checkpoint-interval", "1 h", "-Dweir.watchdog-aborts=true"});
    env.on_running([this](Environment::Control control) {
      window_->set_control(control);
      metrics_ = control.metrics;
    });
    return env;
  }

  void expect_free() const {
    EXPECT_EQ(window_->completed(), 2u);
    EXPECT_EQ(window_->cost().allocations, 0u);
    EXPECT_EQ(window_->cost().locks, 0u);
  }

  std::string dir_;
  std::shared_ptr<Window> window_ = std::make_shared<Window>(2000);
  std::function<std::map<std::string, std::uint64_t>()> metrics_;
};

TEST_F(SteadyState, AFusedChainAllocatesNothingAndTakesNoLock) {
  auto env = environment();
  env.from_source(sequence<bench::Wide>(0, 8'000'000, bench::make_wide))
      .map(bench::mix)
      .filter(bench::keep)
      .map(bench::mix)
      .sink_to(std::make_shared<const WindowSink<bench::Wide>>(window_));
  ASSERT_EQ(env.execute("chain"), 0);
  expect_free();
}

TEST_F(SteadyState, AKeyedSumAllocatesNothingAndTakesNoLock) {
  auto env = environment();
  constexpr std::uint64_t kKeys = 10'000;
  const auto make = [](std::uint64_t i) {
    return i < kKeys ? bench::first_update(i) : bench::make_update(i, kKeys);
  };
  env.from_source(sequence<bench::Update>(0, 6'000'000, make))
      .key_by(&bench::Update::key)
      .sum(&bench::Update::value)
      .set_parallelism(2)
      .sink_to(std::make_shared<const WindowSink<Keyed<std::uint64_t, std::uint64_t>>>(window_));
  ASSERT_EQ(env.execute("sum"), 0);
  expect_free();
}

TEST_F(SteadyState, WordCountAllocatesNothingForItsLinesAndWords) {
  // Enough lines over few words, so that the state does not grow.
  std::ofstream file(dir_ + "/words.txt");
  for (int i = 0; i != 1'000'000; ++i)
    file << "barrier " << i % 50 << " checkpoint-" << static_cast<char>('a' + i % 26)
         << " uncharacteristically stream\n";
  file.close();
  auto env = environment();
  // Every word's count goes to the window, not each thousandth only, so that it sees enough batches.
  env.from_source(file_lines(dir_ + "/words.txt"), "lines")
      .flat_map<examples::Word>(examples::split_words)
      .key_by(&examples::Word::text)
      .count()
      .set_parallelism(2)
      .map([](const Keyed<Text, std::uint64_t>& counted) { return counted.value; })
      .sink_to(std::make_shared<const WindowSink<std::uint64_t>>(window_));
  ASSERT_EQ(env.execute("words"), 0);
  EXPECT_EQ(window_->completed(), 2u);
  // The read-ahead of the file hands a chunk of 1 MiB over by the I/O pool, which locks; nothing is allocated for it.
  EXPECT_EQ(window_->cost().allocations, 0u);
}

// At the end of a job the counts of calls and batches are final. Without a checkpoint on the way no call has to wait for
// room to save state.
TEST_F(SteadyState, EachOperatorIsCalledOncePerBatch) {
  auto env = environment();
  env.on_running({});
  constexpr std::uint64_t kRecords = 300'000;
  std::map<std::string, std::uint64_t> metrics;
  env.from_source(sequence(1, kRecords))
      .key_by([](const std::uint64_t& n) { return n % 100; })
      .sum()
      .name("sum")
      .set_parallelism(2)
      .sink_to(std::make_shared<const WindowSink<Keyed<std::uint64_t, std::uint64_t>>>(window_));
  env.on_finished(
      [&metrics](std::map<std::string, std::uint64_t> last) { metrics = std::move(last); });
  ASSERT_EQ(env.execute("calls"), 0);
  std::uint64_t records = 0;
  for (const auto* subtask : {"subtask.sum -> window[0].", "subtask.sum -> window[1]."}) {
    const auto at = [&](const char* name) { return metrics[std::string(subtask) + name]; };
    EXPECT_GT(at("batches_in"), 0u);
    EXPECT_EQ(at("process_calls") - at("resumed_calls"), 2 * at("batches_in"));
    EXPECT_EQ(at("resumed_calls"), 0u);
    records += at("records_in");
  }
  EXPECT_EQ(records, kRecords);
}

}  // namespace
}  // namespace weir
