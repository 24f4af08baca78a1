#pragma once

#include <cstdint>

namespace weir::connectors {

// A run of numbers, and how far it has been read.
struct SequenceSplit {
  std::uint64_t first = 0;
  std::uint64_t next = 0;
  std::uint64_t end = 0;  // not included

  friend bool operator==(const SequenceSplit&, const SequenceSplit&) = default;
};

}  // namespace weir::connectors
