#pragma once

#include <cstdint>

namespace weir::env {

// Where unpredictable bits come from: the kernel, or the seed of a simulation.
//
//   Thread  any
class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual std::uint64_t bits() = 0;
};

}  // namespace weir::env
