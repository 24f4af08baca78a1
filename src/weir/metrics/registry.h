#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "weir/base/mutex.h"
#include "weir/metrics/metric.h"

namespace weir::metrics {

// All metrics of a process by name: scope, noun, unit: "subtask.sum[1].records_in".
//
// A metric lives as long as the registry, so that a total does not shrink when its Subtask is started anew.
//
//   Thread  any
class Registry {
 public:
  // The metric of that name, made at the first call.
  Metric& metric(const std::string& name);
  // The sum of all metrics whose names begin and end so.
  std::uint64_t sum(std::string_view prefix, std::string_view suffix) const;
  std::map<std::string, std::uint64_t> values() const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<Metric>> metrics_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::metrics
