#include "weir/environment/environment.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "weir/base/log.h"
#include "weir/cluster/engine.h"
#include "weir/datastream/job_definition_error.h"
#include "weir/env/posix/posix_env.h"
#include "weir/env/posix/signals.h"
#include "weir/env/posix/stderr_log.h"
#include "weir/environment/options.h"
#include "weir/environment/progress.h"
#include "weir/ha/file/file_store.h"
#include "weir/memory/page_source.h"
#include "weir/state/heap/heap_backend.h"
#include "weir/storage/filesystem/filesystem_storage.h"

namespace weir {
namespace {

using jobmaster::JobEnd;

JobResult complain(JobResult::Kind kind, std::string what) {
  std::fprintf(stderr, "weir: %s\n", what.c_str());
  return {kind, std::move(what)};
}

JobResult complain(const Error& error) {
  switch (error.code) {
    case Code::kInvalid: return complain(JobResult::Kind::kInvalid, error.what);
    case Code::kRefused: return complain(JobResult::Kind::kRefused, error.what);
    default: return complain(JobResult::Kind::kFailed, error.what);
  }
}

JobResult result_of(const JobEnd& end, const std::string& job_name) {
  const auto why = end.error ? ": " + end.error->to_string() : std::string();
  switch (end.kind) {
    case JobEnd::Kind::kFinished: return {JobResult::Kind::kFinished, {}};
    case JobEnd::Kind::kSuspended:
      return complain(JobResult::Kind::kSuspended,
                      "job '" + job_name + "' is suspended; the same command resumes it");
    case JobEnd::Kind::kCancelled: return complain(JobResult::Kind::kFailed, "job '" + job_name + "' was cancelled");
    case JobEnd::Kind::kFailed: return complain(JobResult::Kind::kFailed, "job '" + job_name + "' failed" + why);
    case JobEnd::Kind::kStopped:
      return complain(JobResult::Kind::kFailed, "job '" + job_name + "' stopped" + why + "; the same command resumes it");
  }
  return {JobResult::Kind::kFailed, {}};
}

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

}  // namespace

struct Environment::State {
  std::vector<std::string> arguments;
  config::Configuration configuration;
  Status status;  // the first thing that was wrong
  datastream::ProgramBuilder program;
  bool program_is_begun = false;
  std::uint32_t executions = 0;
  std::function<void(Control)> on_running;
  std::function<void(std::map<std::string, std::uint64_t>)> on_finished;

  void note(Status outcome) {
    if (status) status = std::move(outcome);
  }
  JobResult run(const std::string& job_name, operators::Program program);
};

Environment Environment::from_args(int argc, char** argv) {
  return Environment(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}

Environment::Environment(std::vector<std::string> arguments) : state_(std::make_unique<State>()) {
  state_->arguments = std::move(arguments);
  for (auto& declaration : environment::weir_options()) state_->note(state_->configuration.declare(std::move(declaration)));
  state_->note(state_->configuration.parse_known(state_->arguments));
}

Environment::~Environment() = default;
Environment::Environment(Environment&&) noexcept = default;

const config::Value& Environment::declare(std::string_view name, config::Value default_value,
                                          std::string_view sentence) {
  const bool is_flag = std::holds_alternative<bool>(default_value);
  state_->note(state_->configuration.declare({.key = std::string(name),
                                              .alias = "--" + std::string(name),
                                              .default_value = std::move(default_value),
                                              .sentence = std::string(sentence),
                                              .is_flag = is_flag}));
  state_->note(state_->configuration.parse_known(state_->arguments));
  return state_->configuration.value(name);
}

void Environment::enable_checkpointing(Duration interval) {
  set_default(environment::kCheckpointInterval.key, config::to_string(interval));
}

void Environment::set_parallelism(std::uint32_t parallelism) {
  set_default(environment::kParallelism.key, std::to_string(parallelism));
}

void Environment::set_default(std::string_view key, std::string_view value) {
  if (!state_->configuration.was_set(key)) state_->note(state_->configuration.set(key, value));
}

void Environment::on_running(std::function<void(Control)> observer) { state_->on_running = std::move(observer); }

void Environment::on_finished(std::function<void(std::map<std::string, std::uint64_t>)> observer) {
  state_->on_finished = std::move(observer);
}

datastream::ProgramBuilder& Environment::program() {
  if (!std::exchange(state_->program_is_begun, true)) {
    const auto parallelism = state_->configuration.get(environment::kParallelism);
    if (parallelism < 1 || parallelism > 32768)
      state_->note(Error{Code::kInvalid, "option parallelism.default: want 1 to 32768, got " + std::to_string(parallelism)});
    state_->program.set_default_parallelism(static_cast<std::uint32_t>(std::clamp<std::int64_t>(parallelism, 1, 32768)));
  }
  return state_->program;
}

JobResult Environment::execute(const std::string& job_name) {
  State& state = *state_;
  const auto name = ++state.executions == 1 ? job_name : job_name + "." + std::to_string(state.executions);
  state.note(state.configuration.parse(state.arguments));
  state.program_is_begun = false;
  if (!state.status) return complain(JobResult::Kind::kInvalid, state.status.error().what);
  if (state.configuration.get(environment::kHelp)) {
    std::printf("%s\n\nOptions:\n%s", name.c_str(), state.configuration.help().c_str());
    return {};
  }
  try {
    const auto chaining =
        state.configuration.get(environment::kChaining) ? graph::Chaining::kOn : graph::Chaining::kOff;
    return state.run(name, state.program.build(name, chaining));
  } catch (const JobDefinitionError& e) {
    return complain(JobResult::Kind::kInvalid, e.what());
  }
}

JobResult Environment::State::run(const std::string& job_name, operators::Program program_to_run) {
  auto options = environment::engine_options(configuration, job_name);
  if (!options) return complain(options.error());
  auto cpus = environment::cpu_list(configuration, environment::kCpus);
  if (!cpus) return complain(cpus.error());
  auto io_cpus = environment::cpu_list(configuration, environment::kIoCpus);
  if (!io_cpus) return complain(io_cpus.error());
  auto level = environment::log_level(configuration.get(environment::kLogLevel));
  if (!level) return complain(level.error());
  auto progress_interval = environment::progress_interval(configuration);
  if (!progress_interval) return complain(progress_interval.error());

  env::PosixEnv posix({.threads = static_cast<std::uint32_t>(configuration.get(environment::kThreads)), .cpus = *cpus,
                       .poll = configuration.get(environment::kPoll)},
                      static_cast<std::uint32_t>(configuration.get(environment::kIoThreads)), *io_cpus);
  const env::Env env = posix.env();
  env::StderrLog log(env.clock, *level);
  log::set_sink(&log);
  state::heap::HeapStateBackend backend;
  memory::HeapPages pages;
  metrics::Registry metrics;
  const auto dir = configuration.get(environment::kCheckpointDir);
  const auto inline_bytes = static_cast<std::size_t>(configuration.get(environment::kInlineBytes).bytes);

  cluster::EngineParts parts{
      .env = env,
      .backend = backend,
      .pages = pages,
      .metrics = metrics,
      .open_store =
          [&](JobId fresh) {
            return ha::FileStore::open(env.files, {.checkpoint_dir = dir, .job_name = job_name, .fresh = fresh});
          },
      .open_storage = [&](JobId job, Epoch epoch) -> std::unique_ptr<storage::CheckpointStorage> {
        const auto directory = env::join(*ha::job_directory(dir, job_name), job.to_hex());
        return std::make_unique<storage::FilesystemStorage>(
            env.files, storage::FilesystemStorage::Options{.directory = directory,
                                                           .epoch = epoch,
                                                           .inline_bytes_max = inline_bytes});
      }};
  auto opened = cluster::Engine::open(std::move(parts), *options, std::move(program_to_run), configuration);
  if (!opened) {
    log::set_sink(nullptr);
    return complain(opened.error());
  }
  if (const auto* over = std::get_if<cluster::Engine::AlreadyFinished>(&*opened)) {
    log::set_sink(nullptr);
    std::printf("%s\n", over->sentence.c_str());
    return {};
  }
  auto engine = std::get<std::unique_ptr<cluster::Engine>>(*std::move(opened));

  Ending ending;
  environment::ProgressReporter progress(env, metrics, *progress_interval);
  engine->start([&](JobEnd end) { ending.tell(std::move(end)); });
  auto signals = env::Signals::open([&](int) { engine->job_master().suspend(); });
  if (configuration.get(environment::kProgress)) progress.start();
  if (on_running) {
    auto& master = engine->job_master();
    on_running({.trigger_checkpoint = [&master](auto answer) { master.trigger_checkpoint(std::move(answer)); },
                .suspend = [&master] { master.suspend(); },
                .cancel = [&master] { master.cancel(); },
                .metrics = [&metrics] { return metrics.values(); }});
  }
  const auto end = ending.wait();
  if (signals) signals->reset();
  progress.stop();
  // No step runs from here on, then no I/O: what they speak of may go.
  posix.executor().stop();
  posix.io().stop();
  if (on_finished) on_finished(metrics.values());
  engine.reset();
  log::set_sink(nullptr);
  return result_of(end, job_name);
}

}  // namespace weir
