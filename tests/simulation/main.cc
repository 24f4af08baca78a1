// weir_sim run SEED [--trace]          one seed, with its plan; the trace on request
// weir_sim swarm N [--from SEED] [--mutant NAME]
// weir_sim seeds                       the listed seeds, twice in separate processes
// weir_sim crashes                     the tiny jobs, crashed after every file call
// weir_sim mutants                     every mutant must fail some listed seed

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/arguments.h"
#include "tests/simulation/swarm.h"
#include "weir/base/mutant.h"

using namespace weir;
using namespace weir::simulation;

namespace {

int usage(const Error& error) {
  std::fprintf(stderr, "weir_sim: %s\n%s\n", error.what.c_str(), std::string(kUsage).c_str());
  return 2;
}

void print_failures(const SwarmResult& result) {
  for (const auto& [seed, what] : result.failures)
    std::printf("FAILED seed=%llu: %s\n  replay: ./dev sim %llu\n",
                static_cast<unsigned long long>(seed), what.c_str(),
                static_cast<unsigned long long>(seed));
}

int run_one(std::uint64_t seed, bool with_trace) {
  const auto plan = draw_plan(seed);
  std::printf("seed=%llu workload='%s' records=%llu keys=%llu deaths=%zu\n",
              static_cast<unsigned long long>(seed), std::string(name_of(plan.workload)).c_str(),
              static_cast<unsigned long long>(plan.records),
              static_cast<unsigned long long>(plan.keys), plan.deaths.size());
  Simulation simulation(plan);
  if (with_trace)
    simulation.listen([](std::string_view line) {
      std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
    });
  const auto verdict = simulation.run();
  std::printf("trace hash %016llx, %llu file calls\n",
              static_cast<unsigned long long>(verdict.trace_hash),
              static_cast<unsigned long long>(verdict.file_calls));
  if (verdict.failure.empty()) return 0;
  std::printf("FAILED: %s\n", verdict.failure.c_str());
  return 1;
}

int swarm(std::uint64_t count, std::uint64_t first) {
  const auto result = run_seeds(first, count, OnFailure::kGoOn);
  print_failures(result);
  const auto depth =
      count < kSeedsOfALongSwarm ? Reached::Depth::kTogether : Reached::Depth::kByWorkload;
  result.reached.print(depth);
  const auto zeros = result.reached.zeros(depth);
  for (const auto& zero : zeros) std::printf("NOT REACHED: %s\n", zero.c_str());
  std::printf("%llu seeds, %zu failed\n", static_cast<unsigned long long>(count),
              result.failures.size());
  return result.failures.empty() && (zeros.empty() || count < kSeedsOfALongSwarm) ? 0 : 1;
}

int print_hashes() {
  const auto result = run_seeds(1, kListedSeeds, OnFailure::kGoOn);
  for (const auto hash : result.hashes)
    std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  return 0;
}

// The same seeds here and in another process: they must pass, and be the same runs.
int seeds(const char* self) {
  const auto command = std::string(self) + " seeds --hashes";
  std::FILE* twin = popen(command.c_str(), "r");
  if (!twin) return 2;
  auto result = run_seeds(1, kListedSeeds, OnFailure::kGoOn);
  char line[64];
  std::size_t at = 0;
  for (; std::fgets(line, sizeof line, twin); ++at) {
    const auto hash = std::strtoull(line, nullptr, 16);
    if (at >= result.hashes.size() || hash != result.hashes[at])
      result.failures.emplace_back(at + 1, "its twin in another process went another way");
  }
  if (pclose(twin) != 0 || at != result.hashes.size())
    result.failures.emplace_back(0, "the twin did not end well");
  print_failures(result);
  result.reached.print(Reached::Depth::kTogether);
  const auto zeros = result.reached.zeros(Reached::Depth::kTogether);
  for (const auto& zero : zeros) std::printf("NOT REACHED: %s\n", zero.c_str());
  std::printf("%zu passed, %zu failed\n",
              result.hashes.size() - std::min(result.hashes.size(), result.failures.size()),
              result.failures.size() + zeros.size());
  return result.failures.empty() && zeros.empty() ? 0 : 1;
}

int crashes() {
  const auto result = crash_everywhere(OnFailure::kGoOn);
  for (const auto& failure : result.failures) std::printf("FAILED %s\n", failure.c_str());
  std::printf("%llu passed, %zu failed\n", static_cast<unsigned long long>(result.passed()),
              result.failures.size());
  return result.failures.empty() ? 0 : 1;
}

// By a seed of the list, else by the exhaustive crashes; empty: it survives.
std::string killer() {
  const auto result = run_seeds(1, kListedSeeds, OnFailure::kStop);
  if (!result.failures.empty())
    return "seed " + std::to_string(result.failures[0].first) + ": " + result.failures[0].second;
  const auto crashed = crash_everywhere(OnFailure::kStop);
  return crashed.failures.empty() ? std::string() : crashed.failures[0];
}

int mutants() {
  std::size_t killed = 0;
  for (const auto& [mutant, name] : kMutants) {
    switch_on(mutant);
    const auto by = killer();
    const auto shown = std::string(name);
    if (by.empty()) {
      std::printf("SURVIVED %s\n", shown.c_str());
    } else {
      ++killed;
      std::printf("killed %s by %s\n", shown.c_str(), by.c_str());
    }
    std::fflush(stdout);
  }
  std::printf("%zu passed, %zu failed\n", killed, kMutants.size() - killed);
  return killed == kMutants.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const auto arguments = parse_arguments(words);
  if (!arguments) return usage(arguments.error());
  if (arguments->mutant) switch_on(*arguments->mutant);
  switch (arguments->command) {
    case Arguments::Command::kRun:
      return run_one(arguments->seed, arguments->with_trace);
    case Arguments::Command::kSwarm:
      return swarm(arguments->count, arguments->from);
    case Arguments::Command::kSeeds:
      return arguments->only_hashes ? print_hashes() : seeds(argv[0]);
    case Arguments::Command::kCrashes:
      return crashes();
    case Arguments::Command::kMutants:
      return mutants();
  }
  return 2;
}
