#include "weir/cluster/engine.h"

#include "weir/base/log.h"
#include "weir/jobmaster/leftovers.h"
#include "weir/storage/api/metadata.h"

namespace weir::cluster {

Result<Engine::Opened> Engine::open(EngineParts parts, const EngineOptions& options,
                                    operators::Program program,
                                    const config::Configuration& configuration) {
  std::unique_ptr<Engine> engine(
      new Engine(std::move(parts), options, std::move(program), configuration));
  std::optional<AlreadyFinished> finished;
  if (options.checkpoints.interval) WEIR_TRY(engine->open_run(options, finished));
  if (finished) return Opened(*std::move(finished));
  return Opened(std::move(engine));
}

Engine::Engine(EngineParts parts, const EngineOptions& options, operators::Program program,
               const config::Configuration& configuration)
    : parts_(std::move(parts)),
      options_(options),
      program_(std::move(program)),
      configuration_(configuration),
      staging_(options.staging, parts_.pages,
               [&io = parts_.env.io](std::function<void()> work) { io.submit(std::move(work)); }),
      job_(make_job_id(parts_.env.clock.wall().unix_ms, parts_.env.entropy.bits(),
                       parts_.env.entropy.bits())),
      epoch_{1} {}

Engine::~Engine() = default;

Status Engine::open_run(const EngineOptions& options, std::optional<AlreadyFinished>& finished) {
  WEIR_ASSIGN(store_, parts_.open_store(job_));
  const auto start = ha::decide_start(
      store_->found(), {.job_name = options.job_name, .restart = options.restart}, job_);
  if (const auto* over = std::get_if<ha::AlreadyFinished>(&start)) {
    finished = *over;
    return ok();
  }
  if (const auto* fresh = std::get_if<ha::NewRun>(&start);
      fresh && store_->record().job != fresh->job) {
    if (auto written = store_->write(ha::BeginRun{fresh->job}); !written)
      return written.error().during("beginning a new run of job " + options.job_name);
    if (options.overwrite_output) WEIR_TRY(store_->write(ha::SettleRun{}));
  }
  const auto& record = store_->record();
  job_ = record.job;
  epoch_ = record.epoch;
  storage_ = parts_.open_storage(job_, epoch_);
  std::set<CheckpointId> keep;
  if (record.newest) {
    WEIR_TRY(read_retained(record, keep));
    program_.graph = jobmaster::adopt_max_parallelism(std::move(program_.graph), retained_.front());
    warn_of_state_by_place();
  }
  // What crashed processes left behind. An error is no reason not to run.
  jobmaster::remove_checkpoints(*storage_, record, keep);
  // One that begins here has not run yet: then the JobMaster does it, when all tasks run.
  const auto& found = store_->found();
  if (found && found->job == job_) jobmaster::remove_other_runs(*storage_, record.runs());
  return ok();
}

// A program may have been changed between two processes, and only there.
void Engine::warn_of_state_by_place() const {
  std::string operators;
  for (const auto& name : jobmaster::found_by_place(program_.graph, retained_.front()))
    operators += (operators.empty() ? "" : ", ") + name;
  if (operators.empty()) return;
  log::Event(log::Level::kWarning, "StateFoundByPlace")
      .field("operators", operators)
      .field("advice",
             "each takes the state of whatever stood in its place in the program before: its own, "
             "as long as nothing was moved in the program. Where something was, begin anew with "
             "--restart, and with a uid() for each");
}

// The newest must be whole: the job begins from it. An older one that is damaged is not the job's
// any more; this start leaves its files to whoever wants to look at them.
Status Engine::read_retained(const ha::RunRecord& record, std::set<CheckpointId>& keep) {
  WEIR_ASSIGN(auto newest, read_checkpoint(*record.newest));
  keep.insert(newest.id);
  retained_.push_back(std::move(newest));
  for (const auto& pointer : record.retained) {
    keep.insert(pointer.id);
    auto older = read_checkpoint(pointer);
    if (older) {
      retained_.push_back(*std::move(older));
    } else if (is_for_good(older.error().code) || older.error().code == Code::kNotFound) {
      log::Event(log::Level::kWarning, "RetainedCheckpointDamaged")
          .field("checkpoint", pointer.id.value)
          .field("reason", older.error().to_string());
    } else {
      return older.error();
    }
  }
  return ok();
}

// The checkpoint that a pointer names, with every file in place before anything runs.
Result<checkpoint::CompletedCheckpoint> Engine::read_checkpoint(const ha::Pointer& pointer) {
  const auto failed = [&](Error error) {
    // A file that may not be read is to be mended; refused would say that another process leads the job.
    if (error.code == Code::kRefused) error.code = Code::kInvalid;
    return error.during("restoring checkpoint " + std::to_string(pointer.id.value) + " from " +
                        storage_->place());
  };
  const auto bytes = storage_->read_metadata(pointer.id);
  if (!bytes) return failed(bytes.error());
  auto metadata = storage::decode_metadata(*bytes, pointer.metadata);
  if (!metadata) return failed(metadata.error());
  for (const auto& file : metadata->checkpoint.files())
    if (auto opened = storage_->open(file); !opened) return failed(opened.error());
  return std::move(metadata->checkpoint);
}

void Engine::start(std::function<void(jobmaster::JobEnd)> on_end) {
  task_manager_ =
      std::make_unique<task::TaskManager>(task::TaskManagerParts{.program = program_,
                                                                 .job = job_,
                                                                 .epoch = epoch_,
                                                                 .limits = options_.limits,
                                                                 .env = parts_.env,
                                                                 .storage = storage_.get(),
                                                                 .backend = parts_.backend,
                                                                 .pages = parts_.pages,
                                                                 .staging = staging_,
                                                                 .metrics = parts_.metrics,
                                                                 .options = configuration_});
  watchdog_ = std::make_unique<Watchdog>(options_.watchdog, parts_.env, *task_manager_);
  job_master_ = std::make_unique<jobmaster::JobMaster>(jobmaster::JobMasterParts{
      .graph = program_.graph,
      .job = job_,
      .epoch = epoch_,
      .checkpoints = options_.checkpoints,
      .restart = options_.restart_strategy,
      .unclaimed = options_.unclaimed,
      .retained = retained_,
      .env = parts_.env,
      .tasks = *task_manager_,
      .storage = storage_.get(),
      .store = store_.get(),
      .metrics = parts_.metrics,
      .on_end = [this, on_end = std::move(on_end)](jobmaster::JobEnd end) {
        watchdog_->stop([on_end, end = std::move(end)] { on_end(end); });
      }});
  task_manager_->connect(*job_master_);
  watchdog_->start();
  job_master_->start();
}

}  // namespace weir::cluster
