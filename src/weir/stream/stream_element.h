#pragma once

#include <variant>

#include "weir/base/checkpoint_barrier.h"
#include "weir/stream/any_batch.h"

namespace weir::stream {

// No more records will come on this channel; barriers may.
struct EndOfData {};
// Nothing will come on this channel any more: its producer is FINISHED.
struct EndOfPartition {};

// What travels on a channel.
using StreamElement = std::variant<BatchPtr, CheckpointBarrier, EndOfData, EndOfPartition>;

}  // namespace weir::stream
