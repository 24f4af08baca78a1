#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weir::sim {

// What a World may do to the Processes on it of its own accord, by its SimOptions.
enum class Fault : unsigned char {
  kFailedRead,
  kFailedWrite,
  kFailedSync,
  kFailedName,
  kDiskFull,
  kStall,
  kSpuriousStep,
  kWallStep,
};

inline constexpr std::array kFaults = {
    Fault::kFailedRead, Fault::kFailedWrite, Fault::kFailedSync,   Fault::kFailedName,
    Fault::kDiskFull,   Fault::kStall,       Fault::kSpuriousStep, Fault::kWallStep};

constexpr std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::kFailedRead:
      return "failed read";
    case Fault::kFailedWrite:
      return "failed write";
    case Fault::kFailedSync:
      return "failed sync";
    case Fault::kFailedName:
      return "failed name";
    case Fault::kDiskFull:
      return "disk full";
    case Fault::kStall:
      return "stall";
    case Fault::kSpuriousStep:
      return "spurious step";
    case Fault::kWallStep:
      return "wall step";
  }
  return "?";
}

}  // namespace weir::sim
