#include "weir/environment/environment.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "weir/datastream/job_definition_error.h"
#include "weir/env/posix/host.h"
#include "weir/env/posix/posix_console.h"
#include "weir/env/posix/signals.h"
#include "weir/environment/embedded_engine.h"
#include "weir/environment/options.h"

namespace weir {
namespace {

using jobmaster::JobEnd;

JobResult complain(JobResult::Kind kind, std::string what) {
  std::fprintf(stderr, "weir: %s\n", what.c_str());
  return {kind, std::move(what)};
}

Status say(const std::string& text) {
  std::fflush(stdout);  // What the program said before comes first.
  return env::PosixConsole().write(text);
}

// The job cannot be started; its options and definition are fine.
JobResult not_started(const Error& error) {
  return complain(
      error.code == Code::kRefused ? JobResult::Kind::kRefused : JobResult::Kind::kFailed,
      error.what);
}

JobResult result_of(const JobEnd& end, const std::string& job_name) {
  const auto why = end.error ? ": " + end.error->to_string() : std::string();
  switch (end.kind) {
    case JobEnd::Kind::kFinished:
      return {JobResult::Kind::kFinished, {}};
    case JobEnd::Kind::kSuspended:
      return complain(JobResult::Kind::kSuspended,
                      "job '" + job_name + "' is suspended; the same command resumes it");
    case JobEnd::Kind::kCancelled:
      return complain(JobResult::Kind::kFailed, "job '" + job_name + "' was cancelled");
    case JobEnd::Kind::kFailed:
      return complain(JobResult::Kind::kFailed, "job '" + job_name + "' failed" + why);
    case JobEnd::Kind::kStopped:
      return complain(JobResult::Kind::kFailed,
                      "job '" + job_name + "' stopped" + why + "; the same command resumes it");
  }
  return {JobResult::Kind::kFailed, {}};
}

bool is_weirs(std::string_view name) {
  const auto options = environment::weir_options();
  return std::any_of(options.begin(), options.end(), [&](const config::Declaration& option) {
    return option.key == name || option.alias == "--" + std::string(name);
  });
}

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
  for (auto& declaration : environment::weir_options())
    state_->note(state_->configuration.declare(std::move(declaration)));
  state_->note(state_->configuration.parse_known(state_->arguments));
}

Environment::~Environment() = default;
Environment::Environment(Environment&&) noexcept = default;

std::string Environment::needed_option(std::string_view name, std::string_view sentence) {
  return std::get<std::string>(
      declare(name, config::Value(std::string()), sentence, Need::kAValue));
}

config::Value Environment::declare(std::string_view name, config::Value default_value,
                                   std::string_view sentence, Need need) {
  const auto alias = "--" + std::string(name);
  const auto declared =
      state_->configuration.declare({.key = std::string(name),
                                     .alias = alias,
                                     .default_value = default_value,
                                     .sentence = std::string(sentence),
                                     .is_flag = std::holds_alternative<bool>(default_value),
                                     .is_needed = need == Need::kAValue});
  // What has that name already may be of another type, so the program goes on with its own default.
  if (!declared) {
    state_->note(
        Error{Code::kInvalid,
              "option '" + alias + "': " +
                  (is_weirs(name) ? "Weir has an option of that name; give the program's another"
                                  : "it is declared twice")});
    return default_value;
  }
  state_->note(state_->configuration.parse_known(state_->arguments));
  return state_->configuration.value(name);
}

void Environment::note_out_of_range(std::string_view name, std::int64_t value,
                                    const std::string& least, const std::string& most) {
  state_->note(Error{Code::kInvalid, "option '--" + std::string(name) + "': want " + least +
                                         " to " + most + ", got " + std::to_string(value)});
}

void Environment::enable_checkpointing(Duration interval) {
  set_default(environment::kCheckpointInterval.key, config::to_string(interval));
}

void Environment::set_parallelism(std::uint32_t parallelism) {
  if (state_->program_is_begun)
    state_->note(Error{Code::kInvalid, "set_parallelism(" + std::to_string(parallelism) +
                                           ") comes behind the first source, which has a "
                                           "parallelism already: call it before from_source()"});
  set_default(environment::kParallelism.key, std::to_string(parallelism));
}

void Environment::set_default(std::string_view key, std::string_view value) {
  state_->note(state_->configuration.set_default(key, value));
}

void Environment::on_running(std::function<void(Control)> observer) {
  state_->on_running = std::move(observer);
}

void Environment::on_finished(std::function<void(std::map<std::string, std::uint64_t>)> observer) {
  state_->on_finished = std::move(observer);
}

datastream::ProgramBuilder& Environment::program() {
  if (!std::exchange(state_->program_is_begun, true)) {
    const auto parallelism = environment::default_parallelism(state_->configuration);
    if (!parallelism) state_->note(parallelism.error());
    state_->program.set_default_parallelism(parallelism ? *parallelism : 1);
  }
  return state_->program;
}

JobResult Environment::execute(const std::string& job_name) {
  const env::BrokenPipesAreErrors guard;  // To the last message.
  State& state = *state_;
  const auto name =
      ++state.executions == 1 ? job_name : job_name + "." + std::to_string(state.executions);
  state.note(state.configuration.parse(state.arguments));
  state.program_is_begun = false;
  if (!state.status) return complain(JobResult::Kind::kInvalid, state.status.error().what);
  if (state.configuration.get(environment::kHelp)) {
    const auto said = say(name + "\n\nOptions:\n" + state.configuration.help());
    return said ? JobResult{} : complain(JobResult::Kind::kFailed, said.error().what);
  }
  if (const auto needed = state.configuration.check_needed(); !needed)
    return complain(JobResult::Kind::kInvalid, needed.error().what);
  try {
    const auto chaining = state.configuration.get(environment::kChaining) ? graph::Chaining::kOn
                                                                          : graph::Chaining::kOff;
    return state.run(name, state.program.build(name, chaining));
  } catch (const JobDefinitionError& e) {
    return complain(JobResult::Kind::kInvalid, e.what());
  }
}

JobResult Environment::State::run(const std::string& job_name, operators::Program program_to_run) {
  const auto options = environment::engine_options(configuration, job_name);
  if (!options) return complain(JobResult::Kind::kInvalid, options.error().what);
  const auto machine = environment::machine_options(configuration);
  if (!machine) return complain(JobResult::Kind::kInvalid, machine.error().what);
  auto backend = environment::state_backend(configuration);
  if (!backend) return complain(JobResult::Kind::kInvalid, backend.error().what);
  std::optional<environment::EmbeddedEngine> running;
  try {
    running.emplace(configuration, *machine, *std::move(backend));
  } catch (const std::system_error& e) {
    return complain(JobResult::Kind::kFailed,
                    std::string("starting the threads of a job: ") + e.code().message() + "; " +
                        std::string(env::kThreadAdvice) + ", or give --threads a smaller number");
  }
  auto& engine = *running;
  const auto over = engine.open(*options, std::move(program_to_run));
  if (!over) return not_started(over.error());
  if (*over) {
    // That nobody hears it changes nothing about the job.
    if (const auto said = say(**over + "\n"); !said)
      std::fprintf(stderr, "weir: %s: %s\n", said.error().what.c_str(), (*over)->c_str());
    return {};
  }
  const auto end = engine.run(on_running);
  if (on_finished) on_finished(engine.metrics());
  return result_of(end, job_name);
}

}  // namespace weir
