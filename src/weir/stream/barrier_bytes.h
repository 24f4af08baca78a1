#pragma once

#include "weir/base/bytes.h"
#include "weir/base/checkpoint_barrier.h"
#include "weir/base/result.h"

namespace weir::stream {

// A CheckpointBarrier as bytes, version 1: what a channel between processes carries.
//
//   Units   the deadline travels as the time that is left at `now`, since clocks differ between processes
//   Errors  read_barrier(): kCorrupt where the bytes are none, kInvalid for another version
//   Source  docs/formats/barrier.md
void write_barrier(const CheckpointBarrier& barrier, Instant now, ByteWriter& out);
Result<CheckpointBarrier> read_barrier(ByteReader& in, Instant now);

// A savepoint's directory may be named with so many bytes.
inline constexpr std::size_t kBarrierTargetBytesMax = 4096;

}  // namespace weir::stream
