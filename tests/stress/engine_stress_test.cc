// Many Subtasks on two threads, rings of a few tiny batches, thousands of barriers: what one thread and a seed cannot prove
// about memory order. Runs under the thread sanitizer in ./dev test.

#include <array>
#include <map>

#include "tests/support/temporary_directory.h"
#include "weir/base/random.h"
#include "weir/environment/weir.h"

namespace weir {
namespace {

constexpr std::uint64_t kRecords = 360'000;
constexpr std::uint32_t kReaders = 5;
constexpr std::uint64_t kCheckpoints = 60;  // at least, and as many stretches of records

constexpr auto kNumberItself = [](std::uint64_t number) { return number; };
using Sequence = connectors::SequenceSource<std::uint64_t, decltype(kNumberItself)>;

// The numbers of a sequence, a stretch of them for each checkpoint: however fast the machine is, it is not done
// before it has taken them all.
class StretchReader final : public connectors::SourceReader<std::uint64_t> {
 public:
  explicit StretchReader(std::unique_ptr<connectors::SourceReader<std::uint64_t>> numbers)
      : numbers_(std::move(numbers)) {}

  Status open(connectors::SourceContext& context) override {
    post_ = context.post;
    return numbers_->open(context);
  }
  Status add_split(ByteView split) override { return numbers_->add_split(split); }
  Result<connectors::ReadState> read(stream::RecordBatch<std::uint64_t>& out) override {
    if (left_ < out.room()) return connectors::ReadState::kWaits;
    const auto before = out.size();
    auto state = numbers_->read(out);
    left_ -= out.size() - before;
    return state;
  }
  std::vector<Bytes> snapshot() override {
    left_ = kStretch;
    post_([] {});
    return numbers_->snapshot();
  }
  Schema split_schema() const override { return numbers_->split_schema(); }
  void halt() override { numbers_->halt(); }

 private:
  static constexpr std::uint64_t kStretch = kRecords / kReaders / kCheckpoints;

  const std::unique_ptr<connectors::SourceReader<std::uint64_t>> numbers_;
  std::function<void(std::function<void()>)> post_;
  std::uint64_t left_ = kStretch;
};

class Stretches final : public connectors::Source<std::uint64_t> {
 public:
  std::unique_ptr<connectors::SplitEnumerator> make_enumerator() const override {
    return numbers_.make_enumerator();
  }
  std::unique_ptr<connectors::SourceReader<std::uint64_t>> make_reader() const override {
    return std::make_unique<StretchReader>(numbers_.make_reader());
  }
  std::string name() const override { return "stretches"; }

 private:
  const Sequence numbers_{1, kRecords + 1, 0, kNumberItself};
};

class EngineStress : public testing::TestWithParam<std::uint64_t> {
 protected:
  const test::TemporaryDirectory directory_;
  const std::string dir_ = directory_.path();
};

// Into the seven keyed Subtasks lead 21 channels, and some fifty more into the others: sixty checkpoints are thousands
// of barriers. When a thread parks is the seed's: it says how long one polls before, and how soon a ring is full.
TEST_P(EngineStress, EveryRecordIsCountedOnceWhateverParksWhen) {
  constexpr std::uint64_t kKeys = 97;
  constexpr std::array kPolls = {0, 3, 50};
  Random random(GetParam());
  const auto drawn = [&random](const std::string& key, std::int64_t low, std::int64_t high) {
    return "-D" + key + "=" + std::to_string(random.between(low, high));
  };
  Environment env(
      {"--checkpoint-dir", dir_, "--checkpoint-interval", "10 ms", "--threads", "2",
       drawn("exchange.batches-per-channel", 1, 2),
       drawn("exchange.floating-batches-per-gate", 0, 3), drawn("exchange.batch-records", 1, 5),
       "-Dcheckpoint.staging_bytes_max=1 mb", "-Dexecution.checkpointing.data-inline-threshold=64",
       "-Dweir.watchdog-aborts=true",
       "-Dtaskmanager.poll=" + std::to_string(kPolls[GetParam() % kPolls.size()]) + " us"});
  const auto collected = std::make_shared<Collected<Keyed<std::uint64_t, std::uint64_t>>>();
  env.from_source(std::make_shared<const Stretches>())
      .set_parallelism(kReaders)
      .map([](const std::uint64_t& n) { return n * 7; })
      .start_new_chain()
      .set_parallelism(3)
      .key_by([](const std::uint64_t& n) { return n % kKeys; })
      .sum()
      .set_parallelism(7)
      .filter([](const Keyed<std::uint64_t, std::uint64_t>& sum) { return sum.value % 5 == 0; })
      .set_parallelism(4)
      .sink_to(collect(collected))
      .set_parallelism(2);
  std::map<std::string, std::uint64_t> metrics;
  env.on_finished(
      [&metrics](std::map<std::string, std::uint64_t> last) { metrics = std::move(last); });
  ASSERT_EQ(env.execute("stress"), 0);
  EXPECT_GE(metrics["checkpoint.completed"], 50u);

  // The order of a key's records is not fixed here, but its last sum is, and no sum comes twice.
  std::map<std::uint64_t, std::uint64_t> totals;
  for (std::uint64_t n = 1; n <= kRecords; ++n) totals[n * 7 % kKeys] += n * 7;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> times;
  for (const auto& sum : collected->values()) {
    EXPECT_EQ(++times[std::make_pair(sum.key, sum.value)], 1);
    EXPECT_LE(sum.value, totals[sum.key]);
  }
  for (const auto& [key, total] : totals) {
    const auto is_visible = times.contains(std::make_pair(key, total));
    EXPECT_EQ(is_visible, total % 5 == 0) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EngineStress, testing::Values(1, 2, 3));

}  // namespace
}  // namespace weir
