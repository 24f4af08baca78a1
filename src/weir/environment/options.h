#pragma once

#include <vector>

#include "weir/base/log.h"
#include "weir/cluster/engine.h"
#include "weir/config/option.h"
#include "weir/env/posix/posix_executor.h"

// Weir's own options, by Flink's names where the subject is the same.
namespace weir::environment {

inline const config::Option<Duration> kCheckpointInterval{
    "execution.checkpointing.interval", "--checkpoint-interval", Duration{},
    "How often a checkpoint is taken; 0: never, and nothing survives a crash."};
inline const config::Option<std::string> kCheckpointDir{
    .key = "execution.checkpointing.dir",
    .alias = "--checkpoint-dir",
    .default_value = "./weir-checkpoints",
    .sentence =
        "Where checkpoints are kept; started again with the same directory, a job goes on where "
        "it was.",
    .is_needed = true};
inline const config::Option<Duration> kCheckpointTimeout{
    "execution.checkpointing.timeout", "", Duration::seconds(600),
    "A checkpoint that takes longer is given up."};
inline const config::Option<Duration> kMinPause{
    "execution.checkpointing.min-pause", "", Duration{},
    "The least time between the end of a checkpoint and the start of the next."};
inline const config::Option<std::int64_t> kMaxConcurrent{
    "execution.checkpointing.max-concurrent-checkpoints", "", 1,
    "How many checkpoints may be under way at once: 1 or 2."};
inline const config::Option<std::int64_t> kTolerableFailures{
    "execution.checkpointing.tolerable-failed-checkpoints", "", 0,
    "How many checkpoints in a row may fail before the job fails over."};
inline const config::Option<std::int64_t> kRetained{"execution.checkpointing.num-retained", "", 1,
                                                    "How many completed checkpoints are kept."};
inline const config::Option<std::string> kRestartStrategy{
    "restart-strategy.type", "--restart-strategy", "fixed-delay",
    "What follows a failure: none or fixed-delay."};
inline const config::Option<std::int64_t> kRestartAttempts{
    "restart-strategy.fixed-delay.attempts", "", 0,
    "How often a job is restarted in this process; 0: without limit."};
inline const config::Option<Duration> kRestartDelay{"restart-strategy.fixed-delay.delay", "",
                                                    Duration::seconds(1),
                                                    "How long after a failure the restart begins."};
inline const config::Option<std::int64_t> kParallelism{
    "parallelism.default", "--parallelism", 1,
    "How many Subtasks sources and keyed operators have that do not say it themselves; any other "
    "operator has as many as the one before it."};
inline const config::Option<bool> kChaining{
    "pipeline.operator-chaining.enabled", "", true,
    "Runs operators by direct call in one Subtask where they allow it."};
inline const config::Option<bool> kRestart{
    "weir.restart", "--restart", false, "Begins anew, whatever checkpoints there are of this job."};
inline const config::Option<bool> kAllowUnclaimed{
    "execution.state-recovery.ignore-unclaimed-state", "--allow-unclaimed-state", false,
    "Drops state of operators that the job does not have any more."};
inline const config::Option<std::string> kStateBackend{"state.backend.type", "", "heap",
                                                       "Where keyed state lives: heap."};
inline const config::Option<config::ByteCount> kHeapBytesMax{
    "state.heap_bytes_max", "", config::ByteCount{std::uint64_t{8} << 30},
    "How much memory the keyed state of one operator may take in one Subtask. More fails the job, "
    "which the restart strategy may start again, to meet the same limit."};
inline const config::Option<config::ByteCount> kEntryBytesMax{
    "state.entry_bytes_max", "", config::ByteCount{std::uint64_t{64} << 20},
    "How large the state of one key may be, as it is saved. More fails the job, which the restart "
    "strategy may start again, to meet the same limit."};
inline const config::Option<config::ByteCount> kStagingBytesMax{
    "checkpoint.staging_bytes_max", "", config::ByteCount{std::uint64_t{256} << 20},
    "How much saved state may wait in memory to be written."};
inline const config::Option<config::ByteCount> kInlineBytes{
    "execution.checkpointing.data-inline-threshold", "",
    config::ByteCount{storage::kInlineBytesMax},
    "State smaller than this lies in the checkpoint's _metadata rather than in a file of its own."};
inline const config::Option<config::ByteCount> kOverflowBytesMax{
    "task.overflow-bytes-max", "", config::ByteCount{std::uint64_t{64} << 20},
    "How much one operator may put out for one record beyond the room in its output. More fails "
    "the job, which the restart strategy may start again, to meet the same limit."};
inline const config::Option<std::int64_t> kBatchesPerChannel{
    "exchange.batches-per-channel", "", 2,
    "How many batches a channel between Subtasks can always have under way."};
inline const config::Option<std::int64_t> kFloatingBatches{
    "exchange.floating-batches-per-gate", "", 8,
    "How many more go to whichever channel of an input needs them."};
inline const config::Option<std::int64_t> kBatchRecords{"exchange.batch-records", "", 1024,
                                                        "How many records a batch holds."};
inline const config::Option<std::int64_t> kThreads{
    "taskmanager.threads", "--threads", 0, "How many threads run Subtasks; 0: one per core."};
inline const config::Option<std::string> kCpus{
    "taskmanager.cpus", "", "",
    "The cores that those threads stay on, such as 0,1; empty: the kernel decides."};
inline const config::Option<Duration> kPoll{
    "taskmanager.poll", "", Duration::micros(50),
    "How long such a thread looks for work before it sleeps."};
inline const config::Option<std::int64_t> kIoThreads{"taskmanager.io-threads", "", 4,
                                                     "How many threads read, write and sync."};
inline const config::Option<std::string> kIoCpus{"taskmanager.io-cpus", "", "",
                                                 "The cores that those stay on."};
inline const config::Option<std::string> kLogLevel{
    "log.level", "--log-level", "warning",
    "What is logged to standard error: debug, info, warning or error."};
inline const config::Option<bool> kProgress{
    "weir.progress", "--progress", false,
    "Prints a line of progress to standard error every second."};
inline const config::Option<Duration> kProgressInterval{
    "weir.progress-interval", "", Duration::seconds(1), "The time between two lines of progress."};
inline const config::Option<bool> kWatchdogAborts{
    .key = "weir.watchdog-aborts",
    .alias = "",
    .default_value = false,
    .sentence =
        "Ends the process where nothing moves though something is waiting, rather than log "
        "it: for tests, which would wait for ever.",
    .is_hidden = true};
inline const config::Option<bool> kHelp{"weir.help", "--help", false,
                                        "Lists the options and ends."};

std::vector<config::Declaration> weir_options();

// What the options say about an engine.
//
//   Errors  kInvalid, naming the option that is out of range
Result<cluster::EngineOptions> engine_options(const config::Configuration& configuration,
                                              const std::string& job_name);

// How many Subtasks there are where nobody says it.
Result<std::uint32_t> default_parallelism(const config::Configuration& configuration);

// What they say about the threads that it runs on, and what it tells people.
struct MachineOptions {
  env::PosixExecutorOptions executor;
  std::uint32_t io_threads = 4;
  std::vector<std::uint32_t> io_cpus;
  log::Level log_level = log::Level::kWarning;
  Duration progress_interval = Duration::seconds(1);
};
Result<MachineOptions> machine_options(const config::Configuration& configuration);

}  // namespace weir::environment
