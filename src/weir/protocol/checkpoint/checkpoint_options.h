#pragma once

#include <cstdint>
#include <optional>

#include "weir/base/time.h"

namespace weir::checkpoint {

// How a job takes checkpoints.
//
//   Source  Flink: CheckpointConfig; each field has its meaning there
struct CheckpointOptions {
  std::optional<Duration> interval = std::nullopt;  // none: only by hand, and none at the end
  Duration timeout = Duration::seconds(600);
  Duration min_pause = {};  // from the end of one to the start of the next; excludes concurrency
  std::uint32_t max_concurrent = 1;
  std::uint32_t tolerable_failures = 0;
  std::uint32_t retained = 1;
};

}  // namespace weir::checkpoint
