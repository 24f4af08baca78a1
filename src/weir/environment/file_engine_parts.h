#pragma once

#include <string>

#include "weir/cluster/engine.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::environment {

// Where an engine keeps what it must not lose: everything under one checkpoint directory.
struct FileEngineOptions {
  std::string checkpoint_dir;
  std::string job_name;
  std::size_t inline_bytes_max = storage::kInlineBytesMax;
};

// The parts of an engine that stands on files: ha/file and storage/filesystem.
cluster::EngineParts file_engine_parts(const env::Env& env, state::StateBackend& backend,
                                       memory::PageSource& pages, metrics::Registry& metrics,
                                       const FileEngineOptions& options);

// The directory of one run of the job, which holds its checkpoints.
std::string run_directory(const FileEngineOptions& options, JobId job);

}  // namespace weir::environment
