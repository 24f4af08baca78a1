#pragma once

#include <stdexcept>

#include "tests/simulation/workload.h"
#include "weir/base/log.h"

namespace weir::simulation {

// Every key's running counts, each once.
std::unique_ptr<Workload> make_keyed_count();
// Money moved between accounts: each balance as it changes, each once; the total of the last ones is what it was.
std::unique_ptr<Workload> make_ledger();
// Permutations that must stay one ring, as values of changing size.
std::unique_ptr<Workload> make_ring();
// One stream's sums and products by key, each once.
std::unique_ptr<Workload> make_totals();

// What a user's function does now and then while faults may strike. It knows no state but the record, so that each
// attempt differs only by how many records it sees.
class Thrower {
 public:
  explicit Thrower(std::uint64_t one_in) : one_in_(one_in) {}
  void maybe_throw() {
    if (one_in_ == 0 || ++seen_ % one_in_ != 0) return;
    log::Event(log::Level::kInfo, "FunctionThrew").field("records", seen_);
    throw std::runtime_error("the user's function had a bad day");
  }

 private:
  std::uint64_t one_in_;
  std::uint64_t seen_ = 0;
};

}  // namespace weir::simulation
