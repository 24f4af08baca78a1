#include "tests/simulation/reached.h"

#include <cstdio>

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
                                    std::string_view("commit repeated after a restore")};

struct Impossible {
  std::string_view fault;
  std::string_view phase;
  std::string_view why;
};
constexpr std::string_view kWallReadings =
    "the wall clock is read when a process starts and when its result is recorded";
// Cells that cannot be reached, with the reason.
constexpr std::array kImpossible = {
    Impossible{"function threw", "open", "no user function runs before the tasks are deployed"},
    Impossible{"function threw", "stopping", "tasks that are being stopped call no user function"},
    Impossible{"stall", "open", "opening is no step"},
    Impossible{"spurious step", "open", "no Runnable is started yet"},
    Impossible{"wall step", "restore", kWallReadings},
    Impossible{"wall step", "cut", kWallReadings},
    Impossible{"wall step", "upload", kWallReadings},
    Impossible{"wall step", "publish", kWallReadings},
    Impossible{"wall step", "commit", kWallReadings},
    Impossible{"wall step", "stopping", kWallReadings},
};

const Impossible* impossible(std::string_view fault, std::string_view phase) {
  for (const auto& cell : kImpossible)
    if (cell.fault == fault && cell.phase == phase) return &cell;
  return nullptr;
}

}  // namespace

void Reached::strike(std::string_view fault, const PhaseSet& phases) {
  for (std::size_t i = 0; i != kPhases.size(); ++i)
    if (phases.test(i)) ++strikes_[{std::string(fault), std::string(name_of(kPhases[i]))}];
}

void Reached::add(const Reached& other) {
  for (const auto& [cell, times] : other.strikes_) strikes_[cell] += times;
  for (const auto& [what, times] : other.counts_) counts_[what] += times;
}

void Reached::print() const {
  std::printf("reached: faults by phase\n%-16s", "");
  for (const auto phase : kPhases) std::printf(" %9s", std::string(name_of(phase)).c_str());
  std::printf("\n");
  for (const auto fault : kStrikes) {
    std::printf("%-16s", std::string(fault).c_str());
    for (const auto phase : kPhases) {
      const auto at = strikes_.find({std::string(fault), std::string(name_of(phase))});
      const auto times = at == strikes_.end() ? 0 : at->second;
      if (times == 0 && impossible(fault, name_of(phase))) {
        std::printf(" %9s", "-");
      } else {
        std::printf(" %9llu", static_cast<unsigned long long>(times));
      }
    }
    std::printf("\n");
  }
  for (const auto& cell : kImpossible)
    std::printf("  - %s during %s: %s\n", std::string(cell.fault).c_str(),
                std::string(cell.phase).c_str(), std::string(cell.why).c_str());
  for (const auto& [what, times] : counts_)
    std::printf("%9llu  %s\n", static_cast<unsigned long long>(times), what.c_str());
}

std::vector<std::string> Reached::zeros() const {
  std::vector<std::string> zeros;
  for (const auto fault : kStrikes)
    for (const auto phase : kPhases)
      if (!strikes_.contains({std::string(fault), std::string(name_of(phase))}) &&
          !impossible(fault, name_of(phase)))
        zeros.push_back(std::string(fault) + " during " + std::string(name_of(phase)));
  for (const auto what : kMustHappen)
    if (!counts_.contains(std::string(what))) zeros.emplace_back(what);
  return zeros;
}

}  // namespace weir::simulation
