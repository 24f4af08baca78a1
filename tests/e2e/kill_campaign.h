#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/e2e/child_process.h"
#include "tests/e2e/log_phases.h"
#include "weir/base/random.h"
#include "weir/base/result.h"

namespace e2e {

struct KillOptions {
  std::string job;        // the executable
  std::string directory;  // an empty one, for everything
  std::uint32_t times = 200;
  std::uint64_t seed = 1;
  std::uint64_t keys = 0;
  std::uint64_t state_bytes_min = 0;  // what every checkpoint must hold
  std::uint32_t hits_min = 5;         // of each phase
  std::uint32_t interval_ms = 300;    // of checkpoints
};

// Starts a job again and again, and kills it: every second time at a point that lies uniformly in three checkpoint
// intervals after its deployment, every other time 0 to 20 ms after a log line that names the phase that was hit
// least so far. At the end it is suspended, and then finishes.
//
//   Errors  whatever the job should not have done
//   Thread  one
class KillCampaign {
 public:
  explicit KillCampaign(KillOptions options)
      : options_(std::move(options)), random_(options_.seed) {}

  // Returns early once `has_failed` is true, because the output was found to be wrong.
  weir::Status run(const std::atomic<bool>& has_failed);

  std::string output() const { return options_.directory + "/out"; }
  // The table of what was hit, and the figures.
  std::string report() const;

 private:
  struct Aim {
    std::optional<LogPhase> phase;  // none: anywhere
    std::uint32_t occurrence = 1;
    std::chrono::nanoseconds delay{};
  };
  struct Life;

  weir::Status warm_up();
  weir::Status kill_once();
  weir::Status suspend();
  weir::Status finish();
  weir::Status check_hits() const;
  weir::Status check_leftovers() const;

  Aim next_aim();
  LogPhase least_hit() const;
  weir::Result<Life> begin(std::vector<std::string> more = {});
  // The next line, taken note of.
  weir::Result<ChildProcess::Read> follow(Life& life, SteadyTime deadline,
                                          std::optional<LogPhase>& named);
  weir::Status await(Life& life, std::string_view event, std::uint32_t times);
  weir::Status await_end(Life& life, int status);
  weir::Status note(Life& life, std::string_view line);
  weir::Error wrong(const Life& life, const std::string& what) const;
  std::uint64_t disk_bytes() const;

  const KillOptions options_;
  weir::Random random_;
  std::uint32_t kills_ = 0;
  std::array<std::uint32_t, kLogPhases.size()> hits_{};
  std::array<std::uint32_t, kLogPhases.size()> aims_{};
  std::chrono::nanoseconds interval_{};  // between the newest two triggers of a life
  std::vector<double> restart_seconds_;
  std::uint64_t checkpoints_ = 0;
  std::uint64_t aborted_ = 0;
  bool is_finishing_ = false;
  std::uint64_t bytes_least_ = UINT64_MAX;  // of a checkpoint
  std::uint64_t disk_bytes_most_ = 0;
};

}  // namespace e2e
