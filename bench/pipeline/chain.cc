// sequence -> map -> filter -> map -> sink on one core, beside the same by hand.

#include "bench/pipeline/cases.h"
#include "bench/reference/chain_loop.h"
#include "bench/support/meter_sink.h"
#include "weir/environment/weir.h"

namespace weir::bench {
namespace {

// Where the stream is fused, map, filter and map are one operator; where not, three.
enum class Steps { kFused, kApart };

// Functions as closures, which the compiler sees through; a function's name would be a pointer, called for each record.
constexpr auto kMake = [](std::uint64_t i) { return make_wide(i); };
constexpr auto kMix = [](const Wide& r) { return mix(r); };
constexpr auto kKeep = [](const Wide& r) { return keep(r); };

double weir_million_records_per_second(std::uint64_t records, Steps steps) {
  Environment env({"--threads", "1", "-Dtaskmanager.cpus=0"});
  const auto meter = std::make_shared<Meter>();
  const auto source = env.from_source(sequence<Wide>(0, records - 1, kMake));
  if (steps == Steps::kFused) {
    source.map(kMix).filter(kKeep).map(kMix).sink_to(meter_sink<Wide>(meter));
  } else {
    const auto one = source.map(kMix).fuse();
    const auto two = one.filter(kKeep).fuse();
    two.map(kMix).sink_to(meter_sink<Wide>(meter));
  }
  std::int64_t begin = 0;
  env.on_running([&](const Environment::Control&) { begin = now_ns(); });
  std::ignore = env.execute("bench chain");
  return million_per_second(records, begin, now_ns());
}

double loop_million_records_per_second(std::uint64_t records) {
  std::vector<Wide> batch(kBatch + 1);
  const auto begin = now_ns();
  consume(batch.data());
  std::uint64_t out = chain_loop(0, records, batch.data());
  asm volatile("" ::"r"(out));
  return million_per_second(records, begin, now_ns());
}

}  // namespace

Chapter chain_chapter(Size size) {
  const auto records = size.scaled(400'000'000);
  Chapter chapter;
  chapter.cases = {
      {"chain, by hand",
       [=](Samples& s) { s.add("chain.loop", loop_million_records_per_second(records)); }},
      {"chain, fused",
       [=](Samples& s) {
         s.add("chain.fused", weir_million_records_per_second(records, Steps::kFused));
       }},
      {"chain, apart",
       [=](Samples& s) {
         s.add("chain.apart", weir_million_records_per_second(records, Steps::kApart));
       }},
  };
  chapter.rows = [](const Samples& s) {
    return std::vector<Row>{
        compare(s, {"sequence -> map -> filter -> map -> sink, one core", "M/s", "chain.fused",
                    "chain.loop", 0.8}),
        compare(s,
                {"the same with three operators, not fused", "M/s", "chain.apart", "chain.loop"}),
        {"ns per record and operator (5: source, map, filter, map, sink)", "ns",
         1e3 / s.median("chain.fused") / 5, std::nullopt, Better::kLower},
    };
  };
  return chapter;
}

}  // namespace weir::bench
