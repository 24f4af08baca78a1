#pragma once

#include "weir/env/api/entropy.h"

namespace weir::env {

// The kernel's random numbers: getrandom(2).
//
//   Thread  any
class PosixEntropy final : public Entropy {
 public:
  std::uint64_t bits() override;
};

}  // namespace weir::env
