#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "weir/base/mutex.h"
#include "weir/cluster/engine.h"
#include "weir/env/posix/posix_env.h"
#include "weir/env/posix/posix_pages.h"
#include "weir/env/posix/signals.h"
#include "weir/env/posix/stderr_log.h"
#include "weir/environment/environment.h"
#include "weir/environment/options.h"
#include "weir/environment/progress.h"
#include "weir/state/api/keyed_backend.h"

namespace weir::environment {

// The state backend that the options name.
//
//   Errors  kInvalid: nobody has that name
Result<std::unique_ptr<state::StateBackend>> state_backend(
    const config::Configuration& configuration);

// One job with the machine under it: threads, files, log, signals, progress, and the Engine in their midst.
//
// From open() on SIGINT and SIGTERM suspend the job.
//
//   Errors  open(): what makes a start impossible
//   Thread  one: open(), then run()
class EmbeddedEngine {
 public:
  // `configuration` outlives it.
  EmbeddedEngine(const config::Configuration& configuration, const MachineOptions& machine,
                 std::unique_ptr<state::StateBackend> backend);
  ~EmbeddedEngine();
  EmbeddedEngine(const EmbeddedEngine&) = delete;
  EmbeddedEngine& operator=(const EmbeddedEngine&) = delete;

  // What it says where the job is over already; run() must not be called then.
  Result<std::optional<std::string>> open(const cluster::EngineOptions& options,
                                          operators::Program program);

  // Runs the job to its end. When it returns no step and no I/O of the job runs any more.
  jobmaster::JobEnd run(const std::function<void(Environment::Control)>& on_running);

  std::map<std::string, std::uint64_t> metrics() const { return metrics_.values(); }

 private:
  // A signal may come before there is a job to suspend.
  class Suspension {
   public:
    void request() WEIR_EXCLUDES(mutex_);
    void started(jobmaster::JobMaster& job_master) WEIR_EXCLUDES(mutex_);

   private:
    Mutex mutex_;
    bool is_requested_ WEIR_GUARDED_BY(mutex_) = false;
    jobmaster::JobMaster* job_master_ WEIR_GUARDED_BY(mutex_) = nullptr;
  };

  Environment::Control control();

  const config::Configuration& configuration_;
  env::PosixEnv posix_;
  env::StderrLog log_;
  std::unique_ptr<state::StateBackend> backend_;
  env::PosixPages pages_;
  metrics::Registry metrics_;
  ProgressReporter progress_;
  std::unique_ptr<cluster::Engine> engine_;
  Suspension suspension_;
  std::unique_ptr<env::Signals> signals_;
};

}  // namespace weir::environment
