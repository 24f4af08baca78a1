// Many Subtasks on two threads, rings of two tiny batches, thousands of barriers: what one thread and a seed cannot prove
// about memory order. Runs under the thread sanitizer in ./dev test.

#include <filesystem>
#include <map>

#include "weir/environment/weir.h"

namespace weir {
namespace {

class EngineStress : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "stress-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string dir_;
};

// Seven keyed Subtasks read five sources over 35 channels, so fifty checkpoints are some 1,750 barriers there and as many
// again behind them.
TEST_P(EngineStress, EveryRecordIsCountedOnceWhateverParksWhen) {
  constexpr std::uint64_t kRecords = 120'000;
  constexpr std::uint64_t kKeys = 97;
  Environment env({"--checkpoint-dir", dir_, "--checkpoint-interval", "10 ms", "--threads", "2",
                   "-Dexchange.batches-per-channel=1", "-Dexchange.floating-batches-per-gate=2",
                   "-Dexchange.batch-records=3", "-Dcheckpoint.staging_bytes_max=1 mb",
                   "-Dexecution.checkpointing.data-inline-threshold=64",
                   "-Dweir.watchdog-aborts=true", std::string("-Dtaskmanager.poll=") + GetParam()});
  const auto collected = std::make_shared<Collected<Keyed<std::uint64_t, std::uint64_t>>>();
  env.from_source(sequence(1, kRecords))
      .set_parallelism(5)
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
  EXPECT_GE(metrics["checkpoint.completed"], 10u);

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

INSTANTIATE_TEST_SUITE_P(Polling, EngineStress, testing::Values("0 us", "50 us"));

}  // namespace
}  // namespace weir
