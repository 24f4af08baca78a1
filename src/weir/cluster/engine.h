#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "weir/cluster/watchdog.h"
#include "weir/ha/api/run_start.h"
#include "weir/jobmaster/job_master.h"
#include "weir/task/task_manager.h"

namespace weir::cluster {

// The parts that differ from engine to engine. References outlive it.
struct EngineParts {
  env::Env env;
  state::StateBackend& backend;
  memory::PageSource& pages;
  metrics::Registry& metrics;
  // Opens the job's durable record, with the job id for a first start; and the storage of one run.
  std::function<Result<std::unique_ptr<ha::Store>>(JobId fresh)> open_store;
  std::function<std::unique_ptr<storage::CheckpointStorage>(JobId job, Epoch epoch)> open_storage;
};

// What the user chose, as values.
struct EngineOptions {
  std::string job_name;
  bool restart = false;  // --restart: a new run, whatever was there
  // --overwrite-output: the output of the earlier run goes, so that there is nothing to come back to.
  bool overwrite_output = false;
  checkpoint::CheckpointOptions
      checkpoints;  // without an interval none are taken and nothing is kept
  failover::RestartOptions restart_strategy;
  jobmaster::UnclaimedState unclaimed = jobmaster::UnclaimedState::kRefused;
  task::TaskLimits limits;
  memory::StagingPool::Options staging;
  WatchdogOptions watchdog;
};

// One job with everything that runs it in this process.
//
//   Errors  open(): what makes a start impossible, before anything runs
//   Thread  one; the verbs and `on_end` as JobMaster's
class Engine {
 public:
  // The run is over already: there is nothing to do.
  using AlreadyFinished = ha::AlreadyFinished;
  using Opened = std::variant<std::unique_ptr<Engine>, AlreadyFinished>;

  // Finds out what there is of the job and builds the engine. Blocks on the disk. `options` is what
  // operators see.
  static Result<Opened> open(EngineParts parts, const EngineOptions& options,
                             operators::Program program,
                             const config::Configuration& configuration);
  ~Engine();

  // `on_end` is called once, on the JobMaster's thread, as the last thing of it; the Engine may be
  // destroyed then.
  void start(std::function<void(jobmaster::JobEnd)> on_end);

  jobmaster::JobMaster& job_master() { return *job_master_; }
  task::TaskManager& task_manager() { return *task_manager_; }
  memory::StagingPool& staging() { return staging_; }
  JobId job() const { return job_; }
  Epoch epoch() const { return epoch_; }
  // Whether there is a checkpoint that it begins from.
  bool restored() const { return !retained_.empty(); }

 private:
  Engine(EngineParts parts, const EngineOptions& options, operators::Program program,
         const config::Configuration& configuration);

  Status open_run(const EngineOptions& options, std::optional<AlreadyFinished>& finished);
  void warn_of_state_by_place() const;
  Status read_retained(const ha::RunRecord& record, std::set<CheckpointId>& keep);
  Result<checkpoint::CompletedCheckpoint> read_checkpoint(const ha::Pointer& pointer);

  EngineParts parts_;
  EngineOptions options_;
  operators::Program program_;
  const config::Configuration& configuration_;
  memory::StagingPool staging_;
  JobId job_;
  Epoch epoch_;
  std::unique_ptr<ha::Store> store_;
  std::unique_ptr<storage::CheckpointStorage> storage_;
  std::vector<checkpoint::CompletedCheckpoint> retained_;
  std::unique_ptr<task::TaskManager> task_manager_;
  std::unique_ptr<jobmaster::JobMaster> job_master_;
  std::unique_ptr<Watchdog> watchdog_;
};

}  // namespace weir::cluster
