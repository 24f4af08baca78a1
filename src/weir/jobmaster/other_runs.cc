#include "weir/jobmaster/other_runs.h"

#include "weir/base/log.h"

namespace weir::jobmaster {

void remove_other_runs(storage::CheckpointStorage& storage, const std::set<JobId>& keep) {
  const auto swept = storage.sweep_other_runs(keep);
  if (!swept) {
    log::Event(log::Level::kWarning, "LeftoverNotRemoved").field("reason", swept.error().what);
    return;
  }
  for (const auto& run : *swept)
    log::Event(log::Level::kInfo, "EarlierRunRemoved").field("run", run.to_hex());
}

}  // namespace weir::jobmaster
