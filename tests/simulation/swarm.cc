#include "tests/simulation/swarm.h"

namespace weir::simulation {

SwarmResult run_seeds(std::uint64_t first, std::uint64_t count, OnFailure on_failure) {
  SwarmResult result;
  for (auto seed = first; seed != first + count; ++seed) {
    Simulation simulation(draw_plan(seed));
    auto verdict = simulation.run();
    result.hashes.push_back(verdict.trace_hash);
    result.reached.add(verdict.reached);
    if (verdict.failure.empty()) continue;
    result.failures.emplace_back(seed, verdict.failure);
    if (on_failure == OnFailure::kStop) break;
  }
  return result;
}

CrashResult crash_everywhere(OnFailure on_failure) {
  using Mode = std::optional<sim::CrashMode>;
  const std::vector<std::pair<std::string, Mode>> modes = {
      {"process killed", std::nullopt},
      {"nothing unsynced kept", sim::CrashMode::kKeepNothing},
      {"some of it kept", sim::CrashMode::kRandom},
      {"other parts of it kept", sim::CrashMode::kRandom}};
  CrashResult result;
  for (const auto kind : kCrashedWorkloads) {
    const auto calm = Simulation(tiny_plan(kind)).run();
    ++result.runs;
    if (!calm.failure.empty())
      result.failures.push_back(std::string(name_of(kind)) + ", undisturbed: " + calm.failure);
    for (std::uint64_t call = 1; call <= calm.file_calls; ++call) {
      for (std::size_t mode = 0; mode != modes.size(); ++mode) {
        auto plan = tiny_plan(kind);
        plan.seed += 1000 * mode;
        plan.deaths = {{.kind = Death::Kind::kCrash,
                        .after = {},
                        .file_call = call,
                        .power = modes[mode].second}};
        const auto verdict = Simulation(plan).run();
        ++result.runs;
        if (verdict.failure.empty()) continue;
        result.failures.push_back(std::string(name_of(kind)) + ", file call " +
                                  std::to_string(call) + ", " + modes[mode].first + ": " +
                                  verdict.failure);
        if (on_failure == OnFailure::kStop) return result;
      }
    }
  }
  return result;
}

}  // namespace weir::simulation
