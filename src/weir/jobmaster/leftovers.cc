#include "weir/jobmaster/leftovers.h"

#include "weir/base/log.h"

namespace weir::jobmaster {
namespace {

void warn_of(const Error& error) {
  log::Event(log::Level::kWarning, "LeftoverNotRemoved").field("reason", error.what);
}

}  // namespace

void remove_checkpoints(storage::CheckpointStorage& storage, const ha::RunRecord& record,
                        const std::set<CheckpointId>& keep) {
  const CheckpointId above_all{record.ids_reserved.value + 1};
  if (const auto swept = storage.sweep(keep, above_all); !swept) warn_of(swept.error());
}

void remove_other_runs(storage::CheckpointStorage& storage, const std::set<JobId>& keep) {
  const auto swept = storage.sweep_other_runs(keep);
  if (!swept) return warn_of(swept.error());
  for (const auto& run : *swept)
    log::Event(log::Level::kInfo, "EarlierRunRemoved").field("run", run.to_hex());
}

}  // namespace weir::jobmaster
