#pragma once

#include <cstdint>

#include "weir/config/option.h"
#include "weir/env/api/env.h"
#include "weir/exchange/input_gate.h"
#include "weir/memory/page_source.h"
#include "weir/memory/staging_pool.h"
#include "weir/metrics/registry.h"
#include "weir/operators/api/program.h"
#include "weir/state/api/keyed_backend.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::task {

// The named limits of a TaskManager.
struct TaskLimits {
  exchange::GateLimits gate;
  std::uint32_t batch_records = stream::kBatchRecords;  // exchange.batch-records
  std::uint32_t moves_per_step = 8;  // what a Subtask does before another gets its turn
  std::uint64_t overflow_bytes_max = std::uint64_t{64}
                                     << 20;  // task.overflow-bytes-max, per operator
  std::uint64_t heap_bytes_max = std::uint64_t{8}
                                 << 30;  // state.heap_bytes_max, per keyed operator and Subtask
  std::uint64_t entry_bytes_max = std::uint64_t{64} << 20;  // state.entry_bytes_max
};

// What a TaskManager is built over. References outlive it.
struct TaskManagerParts {
  const operators::Program& program;
  JobId job;
  Epoch epoch;
  TaskLimits limits;
  env::Env& env;
  storage::CheckpointStorage* storage = nullptr;  // null without checkpoints
  state::StateBackend& backend;
  memory::PageSource& pages;
  memory::StagingPool& staging;
  metrics::Registry& metrics;
  const config::Configuration& options;
};

}  // namespace weir::task
