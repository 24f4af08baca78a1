#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "weir/base/time.h"

namespace weir::failover {

// Never again: the first failure ends the job.
struct NoRestart {};

// Again after the same delay, a number of times, or for ever.
struct FixedDelayRestart {
  std::optional<std::uint32_t> attempts = std::nullopt;  // none: without limit
  Duration delay = Duration::seconds(1);
};

using RestartOptions = std::variant<NoRestart, FixedDelayRestart>;

// Decides whether a failed job is tried again, and after how long. It is asked once per restart:
// failures that come while one is under way are merged into it.
class RestartStrategy {
 public:
  virtual ~RestartStrategy() = default;
  // How long after the failure the next attempt begins; nothing: it gives up.
  virtual std::optional<Duration> on_failure(Instant now) = 0;
  // "fixed-delay, attempts 3, delay 1000 ms"
  virtual std::string description() const = 0;
};

std::unique_ptr<RestartStrategy> make_restart_strategy(const RestartOptions& options);

}  // namespace weir::failover
