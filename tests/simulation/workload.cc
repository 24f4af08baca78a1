#include "tests/simulation/workload.h"

#include "tests/simulation/workloads/workloads.h"

namespace weir::simulation {

std::unique_ptr<Workload> make_workload(WorkloadKind kind, Output output) {
  switch (kind) {
    case WorkloadKind::kKeyedCount: return make_keyed_count(std::move(output));
    case WorkloadKind::kLedger: return make_ledger(std::move(output));
    case WorkloadKind::kRing: return make_ring(std::move(output));
  }
  return nullptr;
}

std::string wrong_in(const Lines& visible, const Lines& expected) {
  for (const auto& [line, times] : visible) {
    const auto at = expected.find(line);
    if (at == expected.end()) return "'" + line + "' is visible, which should never be";
    if (times > at->second)
      return "'" + line + "' is visible " + std::to_string(times) + " times, not " + std::to_string(at->second);
  }
  return {};
}

std::string missing_in(const Lines& visible, const Lines& expected) {
  for (const auto& [line, times] : expected) {
    const auto at = visible.find(line);
    const auto seen = at == visible.end() ? 0 : at->second;
    if (seen < times)
      return "'" + line + "' is visible " + std::to_string(seen) + " times, not " + std::to_string(times);
  }
  return {};
}

}  // namespace weir::simulation
