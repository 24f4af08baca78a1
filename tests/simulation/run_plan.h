#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "weir/base/time.h"
#include "weir/cluster/engine.h"
#include "weir/env/sim/sim_disk.h"
#include "weir/env/sim/sim_options.h"

namespace weir::simulation {

enum class WorkloadKind : std::uint8_t { kKeyedCount, kLedger, kRing, kTotals };
inline constexpr std::array kWorkloads = {WorkloadKind::kKeyedCount, WorkloadKind::kLedger,
                                          WorkloadKind::kRing, WorkloadKind::kTotals};
// Those whose tiny jobs are crashed everywhere.
inline constexpr std::array kCrashedWorkloads = {WorkloadKind::kKeyedCount, WorkloadKind::kLedger,
                                                 WorkloadKind::kRing};
std::string_view name_of(WorkloadKind kind);

// How a job is dealt in one life of the process; later lives may deal it otherwise.
struct Scale {
  std::uint32_t sources = 1;
  std::uint32_t keyed = 1;
};

// How and when one life of the process ends, if it does not end by itself: at a time, or after so many of its file calls.
struct Death {
  enum class Kind : std::uint8_t {
    kCrash,      // at once
    kSuspended,  // it is asked to suspend, as by SIGTERM, and ends when it has
    kNone,       // only the faults stop, and it goes on to its end
  };
  Kind kind = Kind::kCrash;
  Duration after;
  std::optional<std::uint64_t> file_call;
  // Whether only the process dies, or the machine, which loses what was not synced.
  std::optional<sim::CrashMode> power;
};

// Everything about one run that is drawn from its seed.
struct RunPlan {
  std::uint64_t seed = 0;
  WorkloadKind workload = WorkloadKind::kKeyedCount;
  std::uint64_t records = 1000;
  std::uint64_t keys = 50;
  sim::SimOptions sim;
  cluster::EngineOptions engine;
  std::vector<Scale> scales;  // one per life, the last one for all later
  std::vector<Death> deaths;  // of the first lives; then faults stop
  // The user's function throws once in so many records, until faults stop; 0: never.
  std::uint64_t throw_one_in = 0;
  std::size_t inline_bytes_max = 0;  // smaller state lies in _metadata

  bool has_checkpoints() const { return engine.checkpoints.interval.has_value(); }
  const Scale& scale_of(std::size_t life) const {
    return scales[std::min(life, scales.size() - 1)];
  }
};

RunPlan draw_plan(std::uint64_t seed);
// A job so small that it can be crashed after every one of its file calls; without other faults.
RunPlan tiny_plan(WorkloadKind kind);

}  // namespace weir::simulation
