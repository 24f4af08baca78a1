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

}  // namespace weir::simulation
