// Kills a job and looks at what is left; see kill.sh.
//
//   kill_driver JOB DIRECTORY [--times N] [--seed N] [--keys N]

#include <charconv>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <tuple>

#include "tests/e2e/kill_campaign.h"
#include "tests/e2e/visible_counts.h"

namespace {

// 64 bytes each in the state.
constexpr std::uint64_t kKeys = std::uint64_t{106'496} * 32;
constexpr std::uint64_t kBytesPerKey = 64;

// A reader of the output that never rests, beside the job.
class Watcher {
 public:
  explicit Watcher(const std::string& directory)
      : counts_(directory), thread_([this] { watch(); }) {}
  ~Watcher() { std::ignore = stop(); }  // Too late for anybody to hear it.

  const std::atomic<bool>& has_failed() const { return has_failed_; }
  // Ends the watching, looks a last time and says what was found.
  weir::Status stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    return has_failed_ ? status_ : counts_.scan();
  }
  const e2e::VisibleCounts& counts() const { return counts_; }
  std::uint64_t scans() const { return scans_; }

 private:
  void watch() {
    while (!stopping_ && !has_failed_) {
      status_ = counts_.scan();
      ++scans_;
      if (!status_) has_failed_ = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  e2e::VisibleCounts counts_;
  weir::Status status_;
  std::uint64_t scans_ = 0;
  std::atomic<bool> has_failed_{false};  // Partner: run()'s look between two kills.
  std::atomic<bool> stopping_{false};    // Partner: stop().
  std::thread thread_;
};

weir::Status check_all(const e2e::KillOptions& options) {
  e2e::KillCampaign campaign(options);
  Watcher watcher(campaign.output());
  auto ran = campaign.run(watcher.has_failed());
  std::printf("%s", campaign.report().c_str());
  WEIR_TRY(watcher.stop());
  WEIR_TRY(std::move(ran));
  // Once more from the beginning, as somebody who comes only now.
  e2e::VisibleCounts afresh(campaign.output());
  WEIR_TRY(afresh.scan());
  WEIR_TRY(afresh.check_end(options.keys));
  std::printf(
      "  output         %lu lines in %zu parts, each once, read %lu times; %lu rounds of %lu "
      "keys\n",
      afresh.lines(), afresh.parts(), watcher.scans(), afresh.highest(), options.keys);
  return weir::ok();
}

bool parse(int argc, char** argv, e2e::KillOptions& options) {
  if (argc < 3 || argc % 2 == 0) return false;
  options.job = argv[1];
  options.directory = argv[2];
  for (int i = 3; i != argc; i += 2) {
    const char* const text = argv[i + 1];
    std::uint64_t number = 0;
    if (std::from_chars(text, text + std::strlen(text), number).ptr != text + std::strlen(text))
      return false;
    if (std::strcmp(argv[i], "--times") == 0) {
      options.times = static_cast<std::uint32_t>(number);
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      options.seed = number;
    } else if (std::strcmp(argv[i], "--keys") == 0) {
      options.keys = number;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  e2e::KillOptions options{.seed = std::random_device{}(), .keys = kKeys};
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: kill_driver JOB DIRECTORY [--times N] [--seed N] [--keys N]\n");
    return 2;
  }
  options.state_bytes_min = options.keys * kBytesPerKey;
  // So few kills cannot be dealt to all phases.
  if (options.times < 100) options.hits_min = options.times / 20;
  std::printf(
      "seed %lu: %u kills of a job with %.0f MB of state, at least %u of them in each phase\n",
      options.seed, options.times, static_cast<double>(options.state_bytes_min) / 1e6,
      options.hits_min);
  const auto checked = check_all(options);
  if (!checked) {
    std::printf("FAILED: %s\n", checked.error().what.c_str());
    return 1;
  }
  std::printf("exactly once: %u kills, 0 lost, 0 doubled\n", options.times);
  return 0;
}
