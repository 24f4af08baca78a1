#include "tests/simulation/reached.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/simulation/run_plan.h"

namespace weir::simulation {
namespace {

// What must be counted at least once besides the product of faults and phases.
constexpr std::array kMustHappen = {std::string_view("restore from nothing"),
                                    std::string_view("restore in the same process"),
                                    std::string_view("restore in a new process"),
                                    std::string_view("restore at another parallelism"),
                                    std::string_view("barrier during back-pressure"),
                                    std::string_view("records replayed"),
                                    std::string_view("checkpoint completed"),
                                    std::string_view("checkpoint aborted"),
                                    std::string_view("commit repeated after a restore"),
                                    std::string_view("suspended by hand"),
                                    std::string_view("begun anew without checkpoints"),
                                    std::string_view("finished without checkpoints")};

struct MayBeEmpty {
  std::string_view fault;
  std::string_view phase;
  std::string_view why;
};
constexpr std::string_view kWallReadings =
    "the wall clock is read when a process starts and when its result is recorded";
// Cells that cannot be reached, or so seldom that a whole swarm may miss them, with the reason.
constexpr std::array kMayBeEmpty = {
    MayBeEmpty{"function threw", "open", "no user function runs before the tasks are deployed"},
    MayBeEmpty{"function threw", "stopping", "tasks that are being stopped call no user function"},
    MayBeEmpty{"asked to suspend", "open",
               "rare: all of it is the instant before the JobMaster's first step"},
    MayBeEmpty{"stall", "open",
               "rare: opening is no step, and only the watchdog may step before the JobMaster"},
    MayBeEmpty{"spurious step", "open", "no Runnable is started yet"},
    MayBeEmpty{"wall step", "restore", kWallReadings},
    MayBeEmpty{"wall step", "cut", kWallReadings},
    MayBeEmpty{"wall step", "upload", kWallReadings},
    MayBeEmpty{"wall step", "publish", kWallReadings},
    MayBeEmpty{"wall step", "commit", kWallReadings},
    MayBeEmpty{"wall step", "stopping", kWallReadings},
};

bool may_be_empty(std::string_view fault, std::string_view phase) {
  return std::any_of(kMayBeEmpty.begin(), kMayBeEmpty.end(), [&](const MayBeEmpty& cell) {
    return cell.fault == fault && cell.phase == phase;
  });
}

}  // namespace

void Reached::strike(std::string_view fault, const PhaseSet& phases) {
  for (std::size_t i = 0; i != kPhases.size(); ++i)
    if (phases.test(i))
      ++strikes_[{std::string(fault), std::string(name_of(kPhases[i])), workload_}];
}

void Reached::add(const Reached& other) {
  for (const auto& [cell, times] : other.strikes_) strikes_[cell] += times;
  for (const auto& [what, times] : other.counts_) counts_[what] += times;
}

std::vector<std::string> Reached::workloads(Depth depth) {
  if (depth == Depth::kTogether) return {""};
  std::vector<std::string> names;
  names.reserve(std::size(kWorkloads));
  for (const auto kind : kWorkloads) names.emplace_back(name_of(kind));
  return names;
}

std::uint64_t Reached::strikes(std::string_view fault, std::string_view phase,
                               std::string_view workload) const {
  std::uint64_t sum = 0;
  for (const auto& [cell, times] : strikes_)
    if (cell.fault == fault && cell.phase == phase &&
        (workload.empty() || cell.workload == workload))
      sum += times;
  return sum;
}

std::uint64_t Reached::times(std::string_view what, std::string_view workload) const {
  std::uint64_t sum = 0;
  for (const auto& [cell, times] : counts_)
    if (cell.first == what && (workload.empty() || cell.second == workload)) sum += times;
  return sum;
}

void Reached::print(Depth depth) const {
  for (const auto& workload : workloads(depth)) print_strikes(workload);
  for (const auto& cell : kMayBeEmpty)
    std::printf("  - %s during %s: %s\n", std::string(cell.fault).c_str(),
                std::string(cell.phase).c_str(), std::string(cell.why).c_str());
  std::set<std::string> whats;
  for (const auto& [cell, times] : counts_) whats.insert(cell.first);
  for (const auto& what : whats) {
    for (const auto& workload : workloads(depth))
      std::printf("%9llu  ", static_cast<unsigned long long>(times(what, workload)));
    std::printf("%s\n", what.c_str());
  }
}

void Reached::print_strikes(const std::string& workload) const {
  std::printf("reached: faults by phase%s%s\n%-16s", workload.empty() ? "" : ", ", workload.c_str(),
              "");
  for (const auto phase : kPhases) std::printf(" %9s", std::string(name_of(phase)).c_str());
  std::printf("\n");
  for (const auto fault : kStrikes) {
    std::printf("%-16s", std::string(fault).c_str());
    for (const auto phase : kPhases) {
      const auto times = strikes(fault, name_of(phase), workload);
      if (times == 0 && may_be_empty(fault, name_of(phase))) {
        std::printf(" %9s", "-");
      } else {
        std::printf(" %9llu", static_cast<unsigned long long>(times));
      }
    }
    std::printf("\n");
  }
}

std::vector<std::string> Reached::zeros(Depth depth) const {
  std::vector<std::string> zeros;
  for (const auto& workload : workloads(depth)) {
    const auto where = workload.empty() ? std::string() : " (" + workload + ")";
    for (const auto fault : kStrikes)
      for (const auto phase : kPhases)
        if (strikes(fault, name_of(phase), workload) == 0 && !may_be_empty(fault, name_of(phase)))
          zeros.push_back(std::string(fault) + " during " + std::string(name_of(phase)) + where);
    for (const auto what : kMustHappen)
      if (times(what, workload) == 0) zeros.push_back(std::string(what) + where);
  }
  return zeros;
}

}  // namespace weir::simulation
