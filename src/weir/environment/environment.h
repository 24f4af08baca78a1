#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/config/option.h"
#include "weir/datastream/keyed_stream.h"
#include "weir/environment/job_result.h"

namespace weir {

namespace internal {
template <class Rep, class Period>
constexpr Duration duration_of(std::chrono::duration<Rep, Period> d) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(d).count()};
}
}  // namespace internal

// Where a program says what its job is, and runs it.
//
//   int main(int argc, char** argv) {
//     auto env = weir::Environment::from_args(argc, argv);
//     env.from_source(...).map(...).key_by(...).sum(...).sink_to(...);
//     return env.execute("my job");
//   }
//
//   Errors  bad options and impossible jobs end in execute() with exit code 2 and a sentence on standard error; what a fluent
//           call can see at once is a JobDefinitionError
//   Thread  one
class Environment {
 public:
  // Takes the command line; what it says is looked at by option() and execute().
  static Environment from_args(int argc, char** argv);
  explicit Environment(std::vector<std::string> arguments = {});
  ~Environment();
  Environment(Environment&&) noexcept;

  // Declares an option of the program, `--name VALUE`, and gives its value. It appears in --help.
  // A name that is taken, by Weir or by the program, ends execute() with exit code 2; until then
  // the option has its default.
  template <class T>
  T option(std::string_view name, T default_value, std::string_view sentence) {
    if constexpr (std::is_same_v<T, const char*>) {
      return option<std::string>(name, default_value, sentence);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const auto value = std::get<std::int64_t>(
          declare(name, config::Value(static_cast<std::int64_t>(default_value)), sentence));
      if (!std::in_range<T>(value))
        note_out_of_range(name, value, std::to_string(std::numeric_limits<T>::min()),
                          std::to_string(std::numeric_limits<T>::max()));
      return static_cast<T>(value);
    } else {
      return std::get<T>(declare(name, config::Value(std::move(default_value)), sentence));
    }
  }
  std::string option(std::string_view name, const char* default_value, std::string_view sentence) {
    return option<std::string>(name, std::string(default_value), sentence);
  }

  // One that has no default: without it, or with an empty value, execute() ends with exit code 2 and names it.
  std::string needed_option(std::string_view name, std::string_view sentence);

  // Checkpoints at this interval, unless the command line says something else.
  void enable_checkpointing(Duration interval);
  template <class Rep, class Period>
  void enable_checkpointing(std::chrono::duration<Rep, Period> interval) {
    enable_checkpointing(internal::duration_of(interval));
  }
  // For sources and keyed operators that do not say it themselves, unless the command line says
  // something else; any other operator has the parallelism of the one before it. Said before the
  // first source: later it ends execute() with exit code 2.
  void set_parallelism(std::uint32_t parallelism);
  // The default of one of Weir's options, by its key; the command line goes before it.
  void set_default(std::string_view key, std::string_view value);

  template <class T>
  DataStream<T> from_source(std::shared_ptr<const connectors::Source<T>> source,
                            std::string_view name) {
    return add_source<T>(std::move(source), name);
  }
  template <class S>
  requires requires { typename S::element_type::Record; }
  DataStream<typename S::element_type::Record> from_source(S source) {
    const auto name = source->name();
    return add_source<typename S::element_type::Record>(std::move(source), name);
  }
  template <class S>
  requires requires { typename S::element_type::Record; }
  DataStream<typename S::element_type::Record> from_source(S source, std::string_view name) {
    return add_source<typename S::element_type::Record>(std::move(source), name);
  }

  // Runs what was described since the last call, and returns when it has ended: the first time as the job `job_name`, the
  // k-th as `job_name.k`.
  JobResult execute(const std::string& job_name);

  // ---- For tests and embedding programs ----
  // Called as soon as the engine has been started, before execute() waits for its end: with what
  // asks for a checkpoint and ends the job. Tasks may not run yet: a checkpoint asked for then is
  // refused, and may be asked for again. What it throws suspends the job and then comes out of
  // execute().
  struct Control {
    std::function<void(std::function<void(Result<CheckpointId>)>)> trigger_checkpoint;
    std::function<void()> suspend;
    std::function<void()> cancel;
    std::function<std::map<std::string, std::uint64_t>()> metrics;
  };
  void on_running(std::function<void(Control)> observer);
  // Called when the job has ended and nothing of it runs any more, with its last metrics.
  void on_finished(std::function<void(std::map<std::string, std::uint64_t>)> observer);

 private:
  struct State;
  enum class Need : bool { kNone, kAValue };

  config::Value declare(std::string_view name, config::Value default_value,
                        std::string_view sentence, Need need = Need::kNone);
  void note_out_of_range(std::string_view name, std::int64_t value, const std::string& least,
                         const std::string& most);
  datastream::ProgramBuilder& program();

  template <class T>
  DataStream<T> add_source(std::shared_ptr<const connectors::Source<T>> source,
                           std::string_view name) {
    return datastream::add_source<T>(program(), std::move(source), name);
  }

  std::unique_ptr<State> state_;
};

}  // namespace weir
