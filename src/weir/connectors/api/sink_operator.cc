#include "weir/connectors/api/sink_operator.h"

#include <atomic>

namespace weir::connectors {

void make_durable(const std::function<void(StagedDone)>& closure, StagedDone done) {
  const auto has_told = std::make_shared<std::atomic<bool>>(false);  // Partner: itself.
  const StagedDone once = [has_told, done = std::move(done)](Status status) {
    if (!has_told->exchange(true)) done(std::move(status));
  };
  try {
    closure(once);
  } catch (...) {
    once(caught_error("the sink's writer"));
  }
}

}  // namespace weir::connectors
