#include "weir/environment/embedded_engine.h"

#include <exception>

#include "weir/base/error_exception.h"
#include "weir/base/log.h"
#include "weir/environment/file_engine_parts.h"
#include "weir/state/plugins/plugins.h"

namespace weir::environment {
namespace {

using jobmaster::JobEnd;

// Where the main thread waits for the end of the job.
class Ending {
 public:
  void tell(JobEnd end) {
    MutexLock lock(mutex_);
    end_ = std::move(end);
    told_.notify_all();
  }
  JobEnd wait() {
    MutexLock lock(mutex_);
    while (!end_) told_.wait(mutex_);
    return *end_;
  }

 private:
  Mutex mutex_;
  CondVar told_;
  std::optional<JobEnd> end_ WEIR_GUARDED_BY(mutex_);
};

// Nobody on the JobMaster's thread could do anything about what the observer throws there.
std::function<void(Result<CheckpointId>)> without_throwing(
    std::function<void(Result<CheckpointId>)> answer) {
  return [answer = std::move(answer)](Result<CheckpointId> id) {
    try {
      answer(std::move(id));
    } catch (...) {
      log::Event(log::Level::kError, "ObserverThrew")
          .field("error", caught_error("the answer to a checkpoint's trigger").to_string());
    }
  };
}

}  // namespace

Result<std::unique_ptr<state::StateBackend>> state_backend(
    const config::Configuration& configuration) {
  state::Registry backends;
  state::register_plugins(backends);
  auto backend = backends.make(configuration.get(kStateBackend));
  if (!backend) return backend.error().during("option " + kStateBackend.shown_name());
  return backend;
}

EmbeddedEngine::EmbeddedEngine(const config::Configuration& configuration,
                               const MachineOptions& machine,
                               std::unique_ptr<state::StateBackend> backend)
    : configuration_(configuration),
      posix_(machine.executor, machine.io_threads, machine.io_cpus),
      log_(posix_.env().clock, machine.log_level),
      backend_(std::move(backend)),
      progress_(posix_.env(), metrics_, machine.progress_interval) {
  log::set_sink(&log_);
}

EmbeddedEngine::~EmbeddedEngine() {
  signals_.reset();
  engine_.reset();
  log::set_sink(nullptr);
}

Result<std::optional<std::string>> EmbeddedEngine::open(const cluster::EngineOptions& options,
                                                        operators::Program program) {
  // First of all, so that a job which could not be suspended touches nothing.
  WEIR_ASSIGN(signals_, env::Signals::open([this](int) { suspension_.request(); }));
  auto parts = file_engine_parts(
      posix_.env(), *backend_, pages_, metrics_,
      {.checkpoint_dir = configuration_.get(kCheckpointDir),
       .job_name = options.job_name,
       .inline_bytes_max = static_cast<std::size_t>(configuration_.get(kInlineBytes).bytes)});
  WEIR_ASSIGN(auto opened,
              cluster::Engine::open(std::move(parts), options, std::move(program), configuration_));
  if (const auto* over = std::get_if<cluster::Engine::AlreadyFinished>(&opened))
    return std::optional(over->sentence);
  engine_ = std::get<std::unique_ptr<cluster::Engine>>(std::move(opened));
  return std::optional<std::string>();
}

JobEnd EmbeddedEngine::run(const std::function<void(Environment::Control)>& on_running) {
  Ending ending;
  engine_->start([&](JobEnd end) { ending.tell(std::move(end)); });
  suspension_.started(engine_->job_master());
  if (configuration_.get(kProgress)) progress_.start();
  // What the observer throws comes out of here, but not before the job is at rest.
  std::exception_ptr thrown;
  try {
    if (on_running) on_running(control());
  } catch (...) {
    thrown = std::current_exception();
    engine_->job_master().suspend();
  }
  auto end = ending.wait();
  signals_.reset();
  progress_.stop();
  posix_.executor().stop();
  posix_.io().stop();
  if (thrown) std::rethrow_exception(thrown);
  return end;
}

void EmbeddedEngine::Suspension::request() {
  MutexLock lock(mutex_);
  is_requested_ = true;
  if (job_master_) job_master_->suspend();
}

void EmbeddedEngine::Suspension::started(jobmaster::JobMaster& job_master) {
  MutexLock lock(mutex_);
  job_master_ = &job_master;
  if (is_requested_) job_master.suspend();
}

Environment::Control EmbeddedEngine::control() {
  auto& master = engine_->job_master();
  return {.trigger_checkpoint =
              [&master](auto answer) { master.trigger_checkpoint(without_throwing(answer)); },
          .suspend = [&master] { master.suspend(); },
          .cancel = [&master] { master.cancel(); },
          .metrics = [this] { return metrics_.values(); }};
}

}  // namespace weir::environment
