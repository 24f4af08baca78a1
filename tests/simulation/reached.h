#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/phases.h"
#include "weir/env/sim/fault.h"

namespace weir::simulation {

// What can strike a job, of the machine's accord or the test's.
inline constexpr std::array kStrikes = {
    std::string_view("process killed"),      std::string_view("power lost"),
    std::string_view("function threw"),      std::string_view("asked to suspend"),
    sim::name_of(sim::Fault::kFailedRead),   sim::name_of(sim::Fault::kFailedWrite),
    sim::name_of(sim::Fault::kFailedSync),   sim::name_of(sim::Fault::kFailedName),
    sim::name_of(sim::Fault::kDiskFull),     sim::name_of(sim::Fault::kStall),
    sim::name_of(sim::Fault::kSpuriousStep), sim::name_of(sim::Fault::kWallStep)};

// What a swarm has met: how often each fault struck in each phase of each workload, and how often other things that
// matter happened.
class Reached {
 public:
  // Of runs of one workload.
  explicit Reached(std::string_view workload) : workload_(workload) {}
  // Of all.
  Reached() = default;

  void strike(std::string_view fault, const PhaseSet& phases);
  void count(std::string_view what, std::uint64_t times = 1) {
    counts_[{std::string(what), workload_}] += times;
  }
  void add(const Reached& other);

  // How closely one looks: at all workloads together, or at each, for which it takes a long swarm.
  enum class Depth : std::uint8_t { kTogether, kByWorkload };
  void print(Depth depth) const;
  // Cells that can be reached and were not.
  std::vector<std::string> zeros(Depth depth) const;

 private:
  struct Strike {
    std::string fault;
    std::string phase;
    std::string workload;
    friend auto operator<=>(const Strike&, const Strike&) = default;
  };
  static std::vector<std::string> workloads(Depth depth);
  // Of one workload, or of all for an empty name.
  std::uint64_t strikes(std::string_view fault, std::string_view phase,
                        std::string_view workload) const;
  std::uint64_t times(std::string_view what, std::string_view workload) const;
  void print_strikes(const std::string& workload) const;

  std::string workload_;
  std::map<Strike, std::uint64_t> strikes_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;  // what, workload
};

}  // namespace weir::simulation
