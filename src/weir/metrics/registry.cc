#include "weir/metrics/registry.h"

namespace weir::metrics {

Metric& Registry::metric(const std::string& name) {
  MutexLock lock(mutex_);
  auto& metric = metrics_[name];
  if (!metric) metric = std::make_unique<Metric>();
  return *metric;
}

std::uint64_t Registry::sum(std::string_view prefix, std::string_view suffix) const {
  MutexLock lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& [name, metric] : metrics_)
    if (name.starts_with(prefix) && name.ends_with(suffix)) sum += metric->value();
  return sum;
}

std::map<std::string, std::uint64_t> Registry::values() const {
  MutexLock lock(mutex_);
  std::map<std::string, std::uint64_t> values;
  for (const auto& [name, metric] : metrics_) values[name] = metric->value();
  return values;
}

}  // namespace weir::metrics
