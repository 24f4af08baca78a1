#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "weir/base/mutant.h"
#include "weir/base/result.h"

namespace weir::simulation {

// What weir_sim is asked to do.
struct Arguments {
  enum class Command { kRun, kSwarm, kSeeds, kCrashes, kMutants };
  Command command = Command::kSeeds;
  std::uint64_t seed = 0;        // of run
  std::uint64_t count = 0;       // of swarm, at least 1
  std::uint64_t from = 1;        // of swarm: the first seed
  std::optional<Mutant> mutant;  // of swarm
  bool with_trace = false;       // of run
  bool only_hashes = false;      // of seeds
};

inline constexpr std::string_view kUsage =
    "usage: weir_sim run SEED [--trace] | swarm N [--from SEED] [--mutant NAME] | seeds [--hashes] "
    "| crashes | mutants";

// The words behind the name of the program.
//
//   Errors  whatever is not said by kUsage: a number that is none, an option of another command, one word too many
Result<Arguments> parse_arguments(std::span<const std::string_view> words);

}  // namespace weir::simulation
