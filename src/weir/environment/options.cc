#include "weir/environment/options.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "weir/base/percent_encoding.h"
#include "weir/connectors/api/sink_operator.h"
#include "weir/connectors/file/sink_directory.h"

namespace weir::environment {
namespace {

constexpr std::uint64_t kStagingBytesMin = std::uint64_t{1} << 20;

// The number of an option, which must lie within bounds.
template <class Number>
Status read_number(const config::Configuration& configuration,
                   const config::Option<std::int64_t>& option, std::int64_t least,
                   std::int64_t most, Number& into) {
  const auto value = configuration.get(option);
  if (value < least || value > most)
    return Error{Code::kInvalid, "option " + option.shown_name() + ": want " +
                                     std::to_string(least) + " to " + std::to_string(most) +
                                     ", got " + std::to_string(value)};
  into = static_cast<Number>(value);
  return ok();
}

// A small area has small chunks: each stream of each table fills one.
Result<memory::StagingPool::Options> staging_options(const config::Configuration& configuration) {
  memory::StagingPool::Options options;
  options.limit_bytes = configuration.get(kStagingBytesMax).bytes;
  if (options.limit_bytes < kStagingBytesMin)
    return Error{Code::kInvalid, "option " + kStagingBytesMax.shown_name() +
                                     ": want at least 1 mb, got " +
                                     config::to_string(configuration.get(kStagingBytesMax))};
  options.chunk_bytes = std::min<std::uint64_t>(options.chunk_bytes, options.limit_bytes / 4);
  return options;
}

Result<failover::RestartOptions> restart_options(const config::Configuration& configuration) {
  const auto type = configuration.get(kRestartStrategy);
  if (type == "none") return failover::RestartOptions(failover::NoRestart{});
  if (type != "fixed-delay")
    return Error{Code::kInvalid, "option " + kRestartStrategy.shown_name() +
                                     ": want none or fixed-delay, got '" + type + "'"};
  failover::FixedDelayRestart fixed{.delay = configuration.get(kRestartDelay)};
  std::uint32_t attempts = 0;
  WEIR_TRY(read_number(configuration, kRestartAttempts, 0, 1'000'000'000, attempts));
  if (attempts != 0) fixed.attempts = attempts;
  return failover::RestartOptions(fixed);
}

Result<Duration> progress_interval(const config::Configuration& configuration) {
  const auto interval = configuration.get(kProgressInterval);
  if (interval < Duration::millis(1))
    return Error{Code::kInvalid, "option " + kProgressInterval.shown_name() +
                                     ": want at least 1 ms, got " + config::to_string(interval)};
  return interval;
}

Result<log::Level> log_level(std::string_view text) {
  if (text == "debug") return log::Level::kDebug;
  if (text == "info") return log::Level::kInfo;
  if (text == "warning") return log::Level::kWarning;
  if (text == "error") return log::Level::kError;
  return Error{Code::kInvalid, "option " + kLogLevel.shown_name() +
                                   ": want debug, info, warning or error, got '" +
                                   std::string(text) + "'"};
}

// "0,1" -> {0, 1}
Result<std::vector<std::uint32_t>> cpu_list(const config::Configuration& configuration,
                                            const config::Option<std::string>& option) {
  const auto given = configuration.get(option);
  std::string_view text = given;
  std::vector<std::uint32_t> cpus;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    std::uint32_t cpu = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), cpu);
    if (error != std::errc() || end != part.data() + part.size())
      return Error{Code::kInvalid, "option " + option.shown_name() +
                                       ": want numbers of cores such as 0,1, got '" +
                                       std::string(text) + "'"};
    cpus.push_back(cpu);
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return cpus;
}

}  // namespace

std::vector<config::Declaration> weir_options() {
  return {kCheckpointInterval.declaration(),
          kCheckpointDir.declaration(),
          kRestart.declaration(),
          kParallelism.declaration(),
          kProgress.declaration(),
          kRestartStrategy.declaration(),
          kThreads.declaration(),
          kLogLevel.declaration(),
          kAllowUnclaimed.declaration(),
          connectors::kRewindOutput.declaration(),
          connectors::kOverwriteOutput.declaration(),
          kHelp.declaration(),
          kCheckpointTimeout.declaration(),
          kMinPause.declaration(),
          kMaxConcurrent.declaration(),
          kTolerableFailures.declaration(),
          kRetained.declaration(),
          kRestartAttempts.declaration(),
          kRestartDelay.declaration(),
          kChaining.declaration(),
          kStateBackend.declaration(),
          kHeapBytesMax.declaration(),
          kEntryBytesMax.declaration(),
          kStagingBytesMax.declaration(),
          kOverflowBytesMax.declaration(),
          kInlineBytes.declaration(),
          kBatchRecords.declaration(),
          kBatchesPerChannel.declaration(),
          kFloatingBatches.declaration(),
          kCpus.declaration(),
          kPoll.declaration(),
          kIoThreads.declaration(),
          kIoCpus.declaration(),
          kProgressInterval.declaration(),
          kWatchdogAborts.declaration()};
}

Result<cluster::EngineOptions> engine_options(const config::Configuration& configuration,
                                              const std::string& job_name) {
  cluster::EngineOptions options{
      .job_name = job_name,
      .restart = configuration.get(kRestart),
      .overwrite_output = configuration.get(connectors::kOverwriteOutput)};
  auto& checkpoints = options.checkpoints;
  if (const auto interval = configuration.get(kCheckpointInterval); interval.ns != 0)
    checkpoints.interval = interval;
  if (checkpoints.interval && *checkpoints.interval < Duration::millis(10))
    return Error{Code::kInvalid, "option " + kCheckpointInterval.shown_name() +
                                     ": want at least 10 ms, got " +
                                     config::to_string(*checkpoints.interval)};
  if (const auto name = file_name_of(job_name); checkpoints.interval && !name)
    return name.error().during("naming the directory of the job");
  checkpoints.timeout = configuration.get(kCheckpointTimeout);
  if (checkpoints.timeout < Duration::millis(10))
    return Error{Code::kInvalid, "option " + kCheckpointTimeout.shown_name() +
                                     ": want at least 10 ms, got " +
                                     config::to_string(checkpoints.timeout)};
  checkpoints.min_pause = configuration.get(kMinPause);
  WEIR_TRY(read_number(configuration, kMaxConcurrent, 1, 2, checkpoints.max_concurrent));
  WEIR_TRY(read_number(configuration, kTolerableFailures, 0, 1'000'000'000,
                       checkpoints.tolerable_failures));
  WEIR_TRY(read_number(configuration, kRetained, 1, 10'000, checkpoints.retained));
  WEIR_ASSIGN(options.restart_strategy, restart_options(configuration));
  options.watchdog.aborts = configuration.get(kWatchdogAborts);
  if (configuration.get(kAllowUnclaimed)) options.unclaimed = jobmaster::UnclaimedState::kAllowed;
  options.limits.heap_bytes_max = configuration.get(kHeapBytesMax).bytes;
  options.limits.entry_bytes_max = configuration.get(kEntryBytesMax).bytes;
  options.limits.overflow_bytes_max = configuration.get(kOverflowBytesMax).bytes;
  WEIR_TRY(read_number(configuration, kBatchesPerChannel, 1, 1024,
                       options.limits.gate.batches_per_channel));
  WEIR_TRY(read_number(configuration, kBatchRecords, 1, 65536, options.limits.batch_records));
  WEIR_TRY(
      read_number(configuration, kFloatingBatches, 0, 4096, options.limits.gate.floating_batches));
  WEIR_ASSIGN(options.staging, staging_options(configuration));
  return options;
}

Result<std::uint32_t> default_parallelism(const config::Configuration& configuration) {
  std::uint32_t parallelism = 0;
  WEIR_TRY(read_number(configuration, kParallelism, 1, 32768, parallelism));
  return parallelism;
}

Result<MachineOptions> machine_options(const config::Configuration& configuration) {
  MachineOptions options;
  WEIR_TRY(read_number(configuration, kThreads, 0, 1024, options.executor.threads));
  WEIR_TRY(read_number(configuration, kIoThreads, 1, 1024, options.io_threads));
  options.executor.poll = configuration.get(kPoll);
  WEIR_ASSIGN(options.executor.cpus, cpu_list(configuration, kCpus));
  WEIR_ASSIGN(options.io_cpus, cpu_list(configuration, kIoCpus));
  WEIR_ASSIGN(options.log_level, log_level(configuration.get(kLogLevel)));
  WEIR_ASSIGN(options.progress_interval, progress_interval(configuration));
  return options;
}

}  // namespace weir::environment
