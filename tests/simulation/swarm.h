#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/simulation.h"

namespace weir::simulation {

// The seeds of `./dev test`: 1 .. 300, for the whole project.
inline constexpr std::uint64_t kListedSeeds = 300;

// From here on a swarm must have met every fault in every phase of every workload.
inline constexpr std::uint64_t kSeedsOfALongSwarm = 2000;

struct SwarmResult {
  std::vector<std::pair<std::uint64_t, std::string>> failures;  // seed, what was wrong
  std::vector<std::uint64_t> hashes;                            // per seed
  Reached reached;
};

// Runs seeds first .. first+count-1; stops at the first failure where told to.
enum class OnFailure { kGoOn, kStop };
SwarmResult run_seeds(std::uint64_t first, std::uint64_t count, OnFailure on_failure);

// The tiny jobs, undisturbed, and crashed after every single file call, one by one: the process alone, and the machine
// with all, none and some of what was not synced.
struct CrashResult {
  std::uint64_t runs = 0;
  std::vector<std::string> failures;  // at most one of a run

  std::uint64_t passed() const { return runs - failures.size(); }
};
CrashResult crash_everywhere(OnFailure on_failure);

}  // namespace weir::simulation
