#pragma once

#include <cstdint>
#include <memory>

#include "weir/base/bytes.h"

namespace weir {

// XXH3-64 with seed 0 of some bytes: the checksum of our files and frames.
std::uint64_t checksum(ByteView bytes);

// The same over bytes that arrive in pieces.
class RunningChecksum {
 public:
  RunningChecksum();
  ~RunningChecksum();
  RunningChecksum(RunningChecksum&&) noexcept;
  RunningChecksum& operator=(RunningChecksum&&) noexcept;

  void add(ByteView bytes);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir
