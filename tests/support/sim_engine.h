#pragma once

#include <optional>
#include <string>

#include "weir/cluster/engine.h"
#include "weir/connectors/api/sink_operator.h"
#include "weir/connectors/file/sink_directory.h"
#include "weir/env/sim/process.h"
#include "weir/env/sim/world.h"
#include "weir/environment/file_engine_parts.h"
#include "weir/state/heap/heap_backend.h"

namespace weir::test {

// One process of a simulated machine with an engine in it, over the files that a real one has.
//
//   Thread  the World's
class SimEngine {
 public:
  struct Options {
    std::string checkpoint_dir = "c";
    std::size_t inline_bytes_max = storage::kInlineBytesMax;
  };
  explicit SimEngine(sim::World& world) : SimEngine(world, Options{}) {}
  SimEngine(sim::World& world, Options options) : process_(world), options_(std::move(options)) {
    std::ignore = configuration_.declare(connectors::kRewindOutput.declaration());
    std::ignore = configuration_.declare(connectors::kOverwriteOutput.declaration());
  }
  ~SimEngine() { destroy(); }

  // Finds out what there is of the job and runs it; end() says so at once where it is over already.
  // What makes a start impossible is the error, also that the process was killed meanwhile.
  Status start(const cluster::EngineOptions& options, operators::Program program) {
    files_ = {.checkpoint_dir = options_.checkpoint_dir,
              .job_name = options.job_name,
              .inline_bytes_max = options_.inline_bytes_max};
    auto opened = cluster::Engine::open(
        environment::file_engine_parts(process_.env(), backend_, pages_, metrics_, files_), options,
        std::move(program), configuration_);
    if (is_killed_) return Error{Code::kCancelled, "starting: the process was killed"};
    if (!opened) return opened.error();
    if (std::holds_alternative<cluster::Engine::AlreadyFinished>(*opened)) {
      end_ = jobmaster::JobEnd{};
      return ok();
    }
    engine_ = std::get<std::unique_ptr<cluster::Engine>>(*std::move(opened));
    engine_->start([this](jobmaster::JobEnd how) { end_ = std::move(how); });
    return ok();
  }

  // The process is gone: nothing of it runs any more, every file call of it fails. Also from within
  // one of its own steps.
  void kill() {
    is_killed_ = true;
    process_.cut();
  }
  bool is_killed() const { return is_killed_; }

  // The process is gone, and what it was built of; not from within one of its steps. Its metrics
  // stay.
  void destroy() {
    process_.cut();
    engine_.reset();
  }

  // Of the job, where it has come to one.
  const std::optional<jobmaster::JobEnd>& end() const { return end_; }
  // Whether there is an engine: it was started, and not over already.
  bool has_engine() const { return engine_ != nullptr; }
  cluster::Engine& engine() { return *engine_; }
  metrics::Registry& metrics() { return metrics_; }
  config::Configuration& configuration() { return configuration_; }
  // Where the run keeps its checkpoints.
  std::string directory() const { return environment::run_directory(files_, engine_->job()); }

 private:
  sim::Process process_;
  const Options options_;
  environment::FileEngineOptions files_;
  state::heap::HeapStateBackend backend_;
  memory::HeapPages pages_;
  metrics::Registry metrics_;
  config::Configuration configuration_;
  std::unique_ptr<cluster::Engine> engine_;
  std::optional<jobmaster::JobEnd> end_;
  bool is_killed_ = false;
};

}  // namespace weir::test
