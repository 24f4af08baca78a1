#include "weir/protocol/failover/restart_strategy.h"

namespace weir::failover {
namespace {

class None final : public RestartStrategy {
 public:
  std::optional<Duration> on_failure(Instant) override { return std::nullopt; }
  std::string description() const override { return "none"; }
};

class FixedDelay final : public RestartStrategy {
 public:
  explicit FixedDelay(const FixedDelayRestart& options) : options_(options) {}

  std::optional<Duration> on_failure(Instant) override {
    if (options_.attempts && used_ == *options_.attempts) return std::nullopt;
    ++used_;
    return options_.delay;
  }
  std::string description() const override {
    const auto attempts = options_.attempts ? std::to_string(*options_.attempts) : "unlimited";
    return "fixed-delay, attempts " + attempts + ", delay " +
           std::to_string(options_.delay.to_millis()) + " ms";
  }

 private:
  const FixedDelayRestart options_;
  std::uint32_t used_ = 0;
};

}  // namespace

std::unique_ptr<RestartStrategy> make_restart_strategy(const RestartOptions& options) {
  if (const auto* fixed = std::get_if<FixedDelayRestart>(&options))
    return std::make_unique<FixedDelay>(*fixed);
  return std::make_unique<None>();
}

}  // namespace weir::failover
