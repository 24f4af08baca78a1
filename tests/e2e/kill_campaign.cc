#include "tests/e2e/kill_campaign.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <tuple>

namespace e2e {
namespace {

using std::chrono::duration;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using weir::Code;
using weir::Error;
using weir::Status;

// A job that says nothing for so long hangs.
constexpr auto kSilenceMax = std::chrono::seconds(60);
constexpr auto kDelayMax = std::chrono::milliseconds(20);
// The enumerator, two readers, two counting ones with their sinks.
constexpr LogPhases::Job kJob{.tasks = 5, .sinks = 2};
constexpr std::size_t kLogLinesKept = 30;

std::uint64_t number_of(std::optional<std::string_view> text) {
  std::uint64_t number = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

std::size_t index_of(LogPhase phase) { return static_cast<std::size_t>(phase); }

}  // namespace

// One process of the job.
struct KillCampaign::Life {
  std::unique_ptr<ChildProcess> process;
  SteadyTime begun = steady_clock::now();
  LogPhases phases{kJob};
  std::optional<SteadyTime> triggered;
  std::deque<std::string> log{};  // the newest lines
};

Status KillCampaign::run(const std::atomic<bool>& has_failed) {
  WEIR_TRY(warm_up());
  while (kills_ != options_.times) {
    WEIR_TRY(kill_once());
    if (has_failed) return weir::ok();
    if (kills_ % 20 == 0) std::printf("%u kills\n%s", kills_, report().c_str());
    std::fflush(stdout);
  }
  WEIR_TRY(suspend());
  WEIR_TRY(finish());
  WEIR_TRY(check_leftovers());
  return check_hits();
}

// Until the state is as large as it gets, and the interval between checkpoints is known.
Status KillCampaign::warm_up() {
  WEIR_ASSIGN(auto life, begin());
  do {
    bytes_least_ = UINT64_MAX;
    WEIR_TRY(await(life, "CheckpointComplete", 1));
  } while (bytes_least_ < options_.state_bytes_min);
  WEIR_TRY(await(life, "CheckpointTriggered", 3));
  life.process->signal(SIGTERM);
  return await_end(life, 4);
}

Status KillCampaign::kill_once() {
  const auto aim = next_aim();
  WEIR_ASSIGN(auto life, begin());
  std::optional<SteadyTime> kill_at;
  auto occurrences = aim.occurrence;
  for (;;) {
    std::optional<LogPhase> named;
    const auto deadline = kill_at.value_or(steady_clock::now() + kSilenceMax);
    WEIR_ASSIGN(const auto read, follow(life, deadline, named));
    if (read == ChildProcess::Read::kEnd) return wrong(life, "it ended by itself");
    if (read == ChildProcess::Read::kTimeout) {
      if (kill_at) break;
      return wrong(life, "it says nothing any more");
    }
    if (!kill_at && named == aim.phase.value_or(LogPhase::kRestore) && --occurrences == 0)
      kill_at = steady_clock::now() + aim.delay;
    if (kill_at && *kill_at <= steady_clock::now()) break;
  }
  life.process->signal(SIGKILL);
  WEIR_TRY(await_end(life, 128 + SIGKILL));
  ++kills_;
  for (const auto phase : kLogPhases)
    if (life.phases.is_in(phase)) ++hits_[index_of(phase)];
  if (aim.phase) ++aims_[index_of(*aim.phase)];
  disk_bytes_most_ = std::max(disk_bytes_most_, disk_bytes());
  return weir::ok();
}

Status KillCampaign::suspend() {
  WEIR_ASSIGN(auto life, begin());
  WEIR_TRY(await(life, "CheckpointComplete", 2));
  life.process->signal(SIGTERM);
  return await_end(life, 4);
}

Status KillCampaign::finish() {
  is_finishing_ = true;
  WEIR_ASSIGN(auto life, begin({"--finish"}));
  return await_end(life, 0);
}

KillCampaign::Aim KillCampaign::next_aim() {
  const auto fraction = [this] { return static_cast<double>(random_.next() >> 11) * 0x1p-53; };
  if (kills_ % 2 == 0)
    return {.delay = nanoseconds(static_cast<std::int64_t>(
                fraction() * 3 * static_cast<double>(interval_.count())))};
  Aim aim{.phase = least_hit()};
  if (aim.phase != LogPhase::kRestore)
    aim.occurrence = static_cast<std::uint32_t>(1 + random_.below(2));
  // Some phases last a millisecond: half of the delays are spread over all orders of magnitude.
  const auto share = random_.one_in(2) ? fraction() : std::pow(1e-3, fraction());
  aim.delay = nanoseconds(
      static_cast<std::int64_t>(share * static_cast<double>(nanoseconds(kDelayMax).count())));
  return aim;
}

LogPhase KillCampaign::least_hit() const {
  auto least = LogPhase::kRestore;
  for (const auto phase :
       {LogPhase::kCut, LogPhase::kUpload, LogPhase::kPublish, LogPhase::kCommit}) {
    const auto rank = [this](LogPhase p) {
      return std::pair(hits_[index_of(p)], aims_[index_of(p)]);
    };
    if (rank(phase) < rank(least)) least = phase;
  }
  return least;
}

weir::Result<KillCampaign::Life> KillCampaign::begin(std::vector<std::string> more) {
  std::vector<std::string> command = {options_.job,
                                      "-Dweir.watchdog-aborts=true",
                                      "--output",
                                      output(),
                                      "--checkpoint-dir",
                                      options_.directory + "/checkpoints",
                                      "--checkpoint-interval",
                                      std::to_string(options_.interval_ms) + "ms",
                                      "--parallelism",
                                      "2",
                                      "--keys",
                                      std::to_string(options_.keys),
                                      "--log-level",
                                      "info"};
  command.insert(command.end(), more.begin(), more.end());
  Life life;
  WEIR_ASSIGN(life.process, ChildProcess::start(command));
  return life;
}

weir::Result<ChildProcess::Read> KillCampaign::follow(Life& life, SteadyTime deadline,
                                                      std::optional<LogPhase>& named) {
  std::string line;
  const auto read = life.process->read_line(line, deadline);
  if (read != ChildProcess::Read::kLine) return read;
  named = life.phases.line(line);
  life.log.push_back(line);
  if (life.log.size() > kLogLinesKept) life.log.pop_front();
  WEIR_TRY(note(life, line));
  return read;
}

Status KillCampaign::note(Life& life, std::string_view line) {
  const auto event = event_of(line);
  const auto now = steady_clock::now();
  if (event == "Running") restart_seconds_.push_back(duration<double>(now - life.begun).count());
  if (event == "CheckpointTriggered") {
    if (life.triggered) interval_ = now - *life.triggered;
    life.triggered = now;
  }
  if (event == "CheckpointComplete") {
    ++checkpoints_;
    // At the end the state goes away key by key.
    if (!is_finishing_) bytes_least_ = std::min(bytes_least_, number_of(field_of(line, "bytes")));
  }
  if (event == "CheckpointAborted") ++aborted_;
  if (event == "TaskFailed" || event == "Stuck") return wrong(life, "it failed by itself");
  return weir::ok();
}

Status KillCampaign::await(Life& life, std::string_view event, std::uint32_t times) {
  while (times != 0) {
    std::optional<LogPhase> named;
    WEIR_ASSIGN(const auto read, follow(life, steady_clock::now() + kSilenceMax, named));
    if (read != ChildProcess::Read::kLine) return wrong(life, "waiting for " + std::string(event));
    if (event_of(life.log.back()) == event) --times;
  }
  return weir::ok();
}

Status KillCampaign::await_end(Life& life, int status) {
  for (;;) {
    std::optional<LogPhase> named;
    WEIR_ASSIGN(const auto read, follow(life, steady_clock::now() + kSilenceMax, named));
    if (read == ChildProcess::Read::kTimeout) return wrong(life, "it does not end");
    if (read == ChildProcess::Read::kEnd) break;
  }
  const auto got = life.process->wait();
  if (got != status)
    return wrong(
        life, "it ended with status " + std::to_string(got) + ", want " + std::to_string(status));
  return weir::ok();
}

Error KillCampaign::wrong(const Life& life, const std::string& what) const {
  auto text = "after kill " + std::to_string(kills_) + ": " + what + "; the end of its log:";
  for (const auto& line : life.log) text += "\n  " + line;
  return {Code::kFailed, text};
}

Status KillCampaign::check_hits() const {
  if (bytes_least_ < options_.state_bytes_min)
    return Error{Code::kFailed, "a checkpoint held " + std::to_string(bytes_least_) +
                                    " bytes, want at least " +
                                    std::to_string(options_.state_bytes_min)};
  // One retained, one under way, one being removed; and what a name or two takes.
  if (disk_bytes_most_ > 3 * bytes_least_ + (10u << 20))
    return Error{Code::kFailed,
                 "the checkpoint directory grew to " + std::to_string(disk_bytes_most_) + " bytes"};
  for (const auto phase : {LogPhase::kRestore, LogPhase::kCut, LogPhase::kUpload,
                           LogPhase::kPublish, LogPhase::kCommit})
    if (hits_[index_of(phase)] < options_.hits_min)
      return Error{Code::kFailed, "phase " + std::string(name_of(phase)) + " was hit " +
                                      std::to_string(hits_[index_of(phase)]) +
                                      " times, want at least " + std::to_string(options_.hits_min)};
  return weir::ok();
}

Status KillCampaign::check_leftovers() const {
  for (const auto& entry : std::filesystem::directory_iterator(output())) {
    const auto name = entry.path().filename().string();
    if (name.starts_with('.') && name != ".weir-sink" && name != ".weir-sink-lock")
      return Error{Code::kFailed, "the finished job left " + name + " in its output directory"};
  }
  if (const auto bytes = disk_bytes(); bytes > 1 << 20)
    return Error{Code::kFailed, "the finished job left " + std::to_string(bytes) +
                                    " bytes in its checkpoint directory"};
  return weir::ok();
}

std::uint64_t KillCampaign::disk_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(options_.directory + "/checkpoints"))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

std::string KillCampaign::report() const {
  std::string text = "  killed in     ";
  for (const auto phase : kLogPhases)
    text += " " + std::string(name_of(phase)) + " " + std::to_string(hits_[index_of(phase)]);
  text += "\n  aimed at      ";
  for (const auto phase : kLogPhases)
    if (aims_[index_of(phase)])
      text += " " + std::string(name_of(phase)) + " " + std::to_string(aims_[index_of(phase)]);
  auto seconds = restart_seconds_;
  std::sort(seconds.begin(), seconds.end());
  std::array<char, 300> figures{};
  std::snprintf(
      figures.data(), figures.size(),
      "\n  checkpoints    %lu complete, %lu aborted, each at least %.0f MB, the newest two %.2f s "
      "apart\n"
      "  start to run   %.2f s median, %.2f s at most\n  on disk        %.0f MB at most\n",
      checkpoints_, aborted_, static_cast<double>(bytes_least_) / 1e6,
      duration<double>(interval_).count(), seconds.empty() ? 0 : seconds[seconds.size() / 2],
      seconds.empty() ? 0 : seconds.back(), static_cast<double>(disk_bytes_most_) / 1e6);
  return text + figures.data();
}

}  // namespace e2e
