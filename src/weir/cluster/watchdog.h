#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "weir/env/api/env.h"
#include "weir/task/watched_tasks.h"

namespace weir::cluster {

// How long nothing may move, and what happens then.
struct WatchdogOptions {
  Duration patience = Duration::seconds(10);
  bool aborts = false;  // in tests; a running job is only told of
};

// Notices when nothing has moved for a while though some channel holds something, and says what
// every Subtask waits for. A step that is still running, or a wait for I/O, is not "nothing moved".
//
//   Thread  its own
class Watchdog final : public env::Runnable {
 public:
  Watchdog(WatchdogOptions options, env::Env& env, task::WatchedTasks& tasks);

  void start();
  // It ends soon; `ended` is the last thing that it does.
  void stop(std::function<void()> ended);

  env::StepResult step() override;
  std::string name() const override { return "Watchdog"; }

 private:
  void report(const std::vector<std::string>& lines) const;

  const WatchdogOptions options_;
  env::Env& env_;
  task::WatchedTasks& tasks_;
  env::Waker* waker_ = nullptr;
  std::uint64_t last_moves_ = 0;
  Instant moved_at_{};
  std::atomic<bool> stopping_{false};  // Partner: stop()'s wake.
  std::function<void()> ended_;
};

}  // namespace weir::cluster
