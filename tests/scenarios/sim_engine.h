#pragma once

#include <memory>
#include <optional>
#include <string>

#include "weir/cluster/engine.h"
#include "weir/connectors/api/sink_operator.h"
#include "weir/env/sim/process.h"
#include "weir/env/sim/world.h"
#include "weir/ha/file/file_store.h"
#include "weir/state/heap/heap_backend.h"
#include "weir/storage/filesystem/filesystem_storage.h"

namespace weir::scenarios {

// One process of a simulated machine with an engine in it, over the parts that a real one has.
//
//   Thread  the World's
class SimEngine {
 public:
  explicit SimEngine(sim::World& world) : process_(world) {
    std::ignore = configuration_.declare(connectors::kRewindOutput.declaration());
  }
  ~SimEngine() {
    process_.cut();  // Nothing runs any more when the engine goes.
    engine_.reset();
  }

  Status start(const cluster::EngineOptions& options, operators::Program program) {
    const auto env = process_.env();
    cluster::EngineParts parts{
        .env = env,
        .backend = backend_,
        .pages = pages_,
        .metrics = metrics_,
        .open_store =
            [env, name = options.job_name](JobId fresh) {
              return ha::FileStore::open(env.files,
                                         {.checkpoint_dir = "c", .job_name = name, .fresh = fresh});
            },
        .open_storage = [this, env, name = options.job_name](
                            JobId job, Epoch epoch) -> std::unique_ptr<storage::CheckpointStorage> {
          directory_ = env::join(*ha::job_directory("c", name), job.to_hex());
          return std::make_unique<storage::FilesystemStorage>(
              env.files,
              storage::FilesystemStorage::Options{.directory = directory_, .epoch = epoch});
        }};
    WEIR_ASSIGN(auto opened, cluster::Engine::open(std::move(parts), options, std::move(program),
                                                   configuration_));
    engine_ = std::get<std::unique_ptr<cluster::Engine>>(std::move(opened));
    engine_->start([this](jobmaster::JobEnd how) { end_ = std::move(how); });
    return ok();
  }

  const std::optional<jobmaster::JobEnd>& end() const { return end_; }
  cluster::Engine& engine() { return *engine_; }
  metrics::Registry& metrics() { return metrics_; }
  // Where the run keeps its checkpoints.
  const std::string& directory() const { return directory_; }

 private:
  sim::Process process_;
  state::heap::HeapStateBackend backend_;
  memory::HeapPages pages_;
  metrics::Registry metrics_;
  config::Configuration configuration_;
  std::string directory_;
  std::unique_ptr<cluster::Engine> engine_;
  std::optional<jobmaster::JobEnd> end_;
};

}  // namespace weir::scenarios
