#include "weir/environment/file_engine_parts.h"

#include "weir/env/api/file_system.h"
#include "weir/ha/file/file_store.h"
#include "weir/storage/filesystem/filesystem_storage.h"

namespace weir::environment {

std::string run_directory(const FileEngineOptions& options, JobId job) {
  return env::join(*ha::job_directory(options.checkpoint_dir, options.job_name), job.to_hex());
}

cluster::EngineParts file_engine_parts(const env::Env& env, state::StateBackend& backend,
                                       memory::PageSource& pages, metrics::Registry& metrics,
                                       const FileEngineOptions& options) {
  return {
      .env = env,
      .backend = backend,
      .pages = pages,
      .metrics = metrics,
      .open_store =
          [env, options](JobId fresh) {
            return ha::FileStore::open(env.files, {.checkpoint_dir = options.checkpoint_dir,
                                                   .job_name = options.job_name,
                                                   .fresh = fresh});
          },
      .open_storage = [env, options](JobId job,
                                     Epoch epoch) -> std::unique_ptr<storage::CheckpointStorage> {
        return std::make_unique<storage::FilesystemStorage>(
            env.files,
            storage::FilesystemStorage::Options{.directory = run_directory(options, job),
                                                .epoch = epoch,
                                                .inline_bytes_max = options.inline_bytes_max});
      }};
}

}  // namespace weir::environment
