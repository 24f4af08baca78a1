// sequence -> key_by -> sum -> sink with two keyed Subtasks, beside a plain table by hand.

#include <map>
#include <memory>

#include "bench/pipeline/cases.h"
#include "bench/reference/keyed_loop.h"
#include "bench/support/meter_sink.h"
#include "weir/environment/weir.h"

namespace weir::bench {
namespace {

enum class Cores { kOne, kTwo };

// First every key once, then uniform updates; the clock starts when the last of the former has been summed.
double weir_million_updates_per_second(std::uint64_t keys, std::uint64_t updates, Cores cores) {
  std::vector<std::string> arguments = {"--threads", "1", "-Dtaskmanager.cpus=0"};
  if (cores == Cores::kTwo) arguments = {"--threads", "2", "-Dtaskmanager.cpus=0,1"};
  Environment env(arguments);
  const auto meter = std::make_shared<Meter>();
  std::atomic<std::int64_t> begin{0};
  std::atomic<std::int64_t> end{0};
  meter->on_batch = [&](std::int64_t) {
    const auto records = meter->records.load(std::memory_order_relaxed);
    if (begin.load(std::memory_order_relaxed) == 0 && records >= keys)
      begin.store(now_ns(), std::memory_order_relaxed);
    if (records == keys + updates) end.store(now_ns(), std::memory_order_relaxed);
  };
  const auto make = [keys](std::uint64_t i) {
    return i < keys ? first_update(i) : make_update(i, keys);
  };
  env.from_source(sequence<Update>(0, keys + updates - 1, make))
      .key_by(&Update::key)
      .sum(&Update::value)
      .set_parallelism(2)
      .sink_to(meter_sink<Keyed<std::uint64_t, std::uint64_t>>(meter));
  std::ignore = env.execute("bench keyed");
  return million_per_second(updates, begin.load(), end.load());
}

double weir_million_new_keys_per_second(std::uint64_t keys) {
  Environment env({"--threads", "1", "-Dtaskmanager.cpus=0"});
  const auto meter = std::make_shared<Meter>();
  std::atomic<std::int64_t> end{0};
  meter->on_batch = [&](std::int64_t) { end.store(now_ns(), std::memory_order_relaxed); };
  env.from_source(sequence<Update>(0, keys - 1, [](std::uint64_t i) { return first_update(i); }))
      .key_by(&Update::key)
      .sum(&Update::value)
      .set_parallelism(2)
      .sink_to(meter_sink<Keyed<std::uint64_t, std::uint64_t>>(meter));
  std::int64_t begin = 0;
  env.on_running([&](const Environment::Control&) { begin = now_ns(); });
  std::ignore = env.execute("bench growing");
  return million_per_second(keys, begin, end.load());
}

template <class Loop>
double loop_million_updates_per_second(std::uint64_t keys, std::uint64_t updates, Loop loop) {
  SumTable table(keys);
  for (std::uint64_t i = 0; i != keys; ++i) table.at(first_update(i).key) = 1;
  std::vector<Total> batch(kBatch);
  const auto begin = now_ns();
  loop(table, keys, updates, keys, batch.data());
  return million_per_second(updates, begin, now_ns());
}

double loop_million_new_keys_per_second(std::uint64_t keys) {
  std::vector<Total> batch(kBatch);
  const auto begin = now_ns();
  keyed_loop_growing(keys, batch.data());
  return million_per_second(keys, begin, now_ns());
}

struct Scale {
  std::string label;
  std::uint64_t keys;
  std::uint64_t updates;
  double goal;
};

std::string name_of(const Scale& scale, const std::string& name) {
  return std::string("keyed.").append(scale.label).append(".").append(name);
}

}  // namespace

Chapter keyed_chapter(Size size) {
  const std::vector<Scale> scales = {
      {"1 k", 1'000, size.scaled(200'000'000), 0.6},
      {"1 M", size.scaled(1'000'000), size.scaled(100'000'000), 0.8},
      {"10 M", size.scaled(10'000'000), size.scaled(60'000'000), 0.7}};
  Chapter chapter;
  for (const auto& scale : scales) {
    const auto keys = scale.keys;
    const auto updates = scale.updates;
    const auto add = [&](const std::string& name, const std::function<double()>& measure) {
      const auto full = name_of(scale, name);
      chapter.cases.push_back({full, [=](Samples& s) { s.add(full, measure()); }});
    };
    add("loop", [=] { return loop_million_updates_per_second(keys, updates, keyed_loop); });
    add("prefetching",
        [=] { return loop_million_updates_per_second(keys, updates, keyed_loop_prefetching); });
    add("one", [=] { return weir_million_updates_per_second(keys, updates, Cores::kOne); });
    add("two", [=] { return weir_million_updates_per_second(keys, updates, Cores::kTwo); });
    if (keys > 1'000) {
      add("loop growing", [=] { return loop_million_new_keys_per_second(keys); });
      add("growing", [=] { return weir_million_new_keys_per_second(keys); });
    }
  }
  chapter.rows = [scales](const Samples& s) {
    std::vector<Row> rows;
    for (const auto& scale : scales) {
      const auto title = "key_by -> sum, " + scale.label + " keys, ";
      const auto add = [&](const std::string& what, const std::string& weir,
                           const std::string& reference, std::optional<double> goal) {
        rows.push_back(compare(
            s, {title + what, "M/s", name_of(scale, weir), name_of(scale, reference), goal}));
      };
      add("one core / plain table", "one", "loop", scale.goal);
      add("one core / plain table, prefetching", "one", "prefetching", std::nullopt);
      add("two cores / one core", "two", "one", std::nullopt);
      if (s.has(name_of(scale, "growing")))
        add("growing from empty / plain table that doubles", "growing", "loop growing",
            std::nullopt);
    }
    return rows;
  };
  return chapter;
}

}  // namespace weir::bench
