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
    std::string_view("process killed"),     std::string_view("power lost"),
    std::string_view("function threw"),     sim::name_of(sim::Fault::kFailedRead),
    sim::name_of(sim::Fault::kFailedWrite), sim::name_of(sim::Fault::kFailedSync),
    sim::name_of(sim::Fault::kFailedName),  sim::name_of(sim::Fault::kDiskFull),
    sim::name_of(sim::Fault::kStall),       sim::name_of(sim::Fault::kSpuriousStep),
    sim::name_of(sim::Fault::kWallStep)};

// What a swarm has met: how often each fault struck in each phase, and how often other things that matter happened.
class Reached {
 public:
  void strike(std::string_view fault, const PhaseSet& phases);
  void count(std::string_view what, std::uint64_t times = 1) {
    counts_[std::string(what)] += times;
  }
  void add(const Reached& other);

  void print() const;
  // Cells that can be reached and were not.
  std::vector<std::string> zeros() const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> strikes_;  // fault, phase
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace weir::simulation
