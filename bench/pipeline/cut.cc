// 12 M keys of 8 + 56 bytes under an unbroken sequence of checkpoints at full rate, beside the same without.

#include <algorithm>
#include <string>

#include "bench/pipeline/cases.h"
#include "bench/reference/records.h"
#include "bench/support/meter_sink.h"
#include "tests/support/temporary_directory.h"
#include "weir/environment/weir.h"

namespace weir::bench {
namespace {

// 56 bytes of state: counts, and when the batch of the last update was made.
struct Counters {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t last = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::int64_t stamp = 0;
};
struct Stamped {
  std::uint64_t key = 0;
  std::int64_t stamp = 0;
};

struct Figures {
  double per_second = 0;
  double p999_us = 0;
  double longest_us = 0;
  double checkpoints = 0;
  double interval_ms = 0;
  double bytes = 0;
  double peak_staging = 0;
};

// Stamps every batch that it makes with the time.
class MakeStamped {
 public:
  explicit MakeStamped(std::uint64_t keys) : keys_(keys) {}
  Stamped operator()(std::uint64_t i) {
    if (i % kBatch == 0) stamp_ = now_ns();
    return {i < keys_ ? spread(i + 1) : spread(nth_key(i, keys_)), stamp_};
  }

 private:
  std::uint64_t keys_;
  std::int64_t stamp_ = 0;
};

struct Update {
  using Output = Stamped;
  struct State {
    ValueState<Counters> counters{"counters"};
  };
  void process(const Stamped& in, State& state, Collector<Stamped>& out) {
    auto& counters = state.counters.update();
    ++counters.count;
    counters.sum += in.key;
    counters.last = in.key;
    counters.stamp = in.stamp;
    out.emit(in);
  }
};

Figures run(std::uint64_t keys, std::uint64_t updates, bool with_checkpoints) {
  const test::TemporaryDirectory directory;
  std::vector<std::string> arguments = {
      "--threads",     "1", "-Dtaskmanager.cpus=0", "-Dtaskmanager.io-cpus=1", "--checkpoint-dir",
      directory.path()};
  if (with_checkpoints) {
    arguments.push_back("--checkpoint-interval");
    arguments.push_back("10 ms");
  }
  Environment env(arguments);
  const auto meter = std::make_shared<Meter>();
  std::vector<std::int64_t> delays;
  delays.reserve(updates / kBatch * 4 + 1024);
  std::atomic<std::int64_t> begin{0};
  std::int64_t last = 0;
  std::function<std::map<std::string, std::uint64_t>()> metrics;
  std::map<std::string, std::uint64_t> at_begin;
  std::map<std::string, std::uint64_t> at_end;
  meter->on_batch = [&](std::int64_t stamp) {
    const auto records = meter->records.load(std::memory_order_relaxed);
    if (records < keys) return;
    last = now_ns();
    if (begin.load(std::memory_order_relaxed) == 0) {
      begin.store(last, std::memory_order_relaxed);
      at_begin = metrics();
      last = now_ns();
      return;
    }
    if (records >= keys + updates && at_end.empty()) at_end = metrics();
    delays.push_back(last - stamp);
  };
  std::atomic<bool> is_ready{false};
  env.on_running([&](const Environment::Control& control) {
    metrics = control.metrics;
    is_ready.store(true, std::memory_order_release);
  });
  // The source begins when the meter can be read.
  auto make = [&is_ready, stamped = MakeStamped(keys)](std::uint64_t i) mutable {
    if (i == 0)
      while (!is_ready.load(std::memory_order_acquire)) {
      }
    return stamped(i);
  };
  env.from_source(sequence<Stamped>(0, keys + updates - 1, make))
      .key_by(&Stamped::key)
      .process(Update{})
      .set_parallelism(2)
      .sink_to(meter_sink<Stamped>(meter, [](const Stamped& s) { return s.stamp; }));
  std::ignore = env.execute("bench cut");

  Figures figures;
  const auto took = static_cast<double>(last - begin.load());
  figures.per_second = million_per_second(updates, begin.load(), last);
  std::sort(delays.begin(), delays.end());
  figures.p999_us = static_cast<double>(delays[delays.size() * 999 / 1000]) / 1e3;
  figures.longest_us = static_cast<double>(delays.back()) / 1e3;
  figures.checkpoints =
      static_cast<double>(at_end["checkpoint.completed"] - at_begin["checkpoint.completed"]);
  figures.interval_ms = figures.checkpoints > 0 ? took / 1e6 / figures.checkpoints : 0;
  figures.bytes = static_cast<double>(at_end["checkpoint.last_bytes"]);
  figures.peak_staging = static_cast<double>(at_end["checkpoint.staging_peak_bytes"]);
  return figures;
}

}  // namespace

Chapter cut_chapter(Size size) {
  const auto keys = size.scaled(12'000'000);
  const auto updates = size.scaled(720'000'000);
  const auto measure = [=](const std::string& name, bool with_checkpoints) {
    return Case{"cut, " + name, [=](Samples& s) {
                  const auto f = run(keys, updates, with_checkpoints);
                  s.add("cut." + name + ".per_second", f.per_second);
                  s.add("cut." + name + ".p999", f.p999_us);
                  s.add("cut." + name + ".longest", f.longest_us);
                  s.add("cut." + name + ".checkpoints", f.checkpoints);
                  s.add("cut." + name + ".interval", f.interval_ms);
                  s.add("cut." + name + ".bytes", f.bytes);
                  s.add("cut." + name + ".staging", f.peak_staging);
                }};
  };
  Chapter chapter;
  chapter.cases = {measure("off", false), measure("on", true)};
  chapter.rows = [size](const Samples& s) {
    const auto on = [&](const char* name) { return s.median(std::string("cut.on.") + name); };
    const auto off = [&](const char* name) { return s.median(std::string("cut.off.") + name); };
    const auto beside = [&](const std::string& what, const char* unit, const std::string& name,
                            std::optional<double> goal, Better better) {
      return compare(s, {what, unit, "cut.on." + name, "cut.off." + name, goal, better});
    };
    const std::string title =
        std::string("cut, ") + (size.is_quick ? "240 k" : "12 M") + " keys of 8 + 56 bytes: ";
    return std::vector<Row>{
        beside(title + "throughput, checkpoints on / off", "M/s", "per_second", 0.8,
               Better::kHigher),
        {title + "delay of a batch beyond that without, p99.9", "us", on("p999") - off("p999"),
         1000, Better::kLower},
        beside(title + "delay of a batch, p99.9, on / off", "us", "p999", std::nullopt,
               Better::kLower),
        beside(title + "longest delay of a batch, on / off", "us", "longest", std::nullopt,
               Better::kLower),
        {title + "checkpoints in the run", "count", on("checkpoints"), 20, Better::kHigher},
        {title + "effective interval", "ms", on("interval"), std::nullopt, Better::kLower},
        {title + "bytes written by a checkpoint", "MB", on("bytes") / 1e6, std::nullopt,
         Better::kLower},
        {title + "peak of staging", "MB", on("staging") / 1e6, std::nullopt, Better::kLower},
    };
  };
  return chapter;
}

}  // namespace weir::bench
