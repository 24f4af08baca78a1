#include "weir/ha/api/run_record.h"

#include "weir/base/check.h"

namespace weir::ha {
namespace {

void perform(const BeginRun& change, RunRecord& record) {
  auto earlier = std::move(record.earlier);
  if (!earlier)
    earlier = EarlierRun{.job = record.job,
                         .ids_reserved = record.ids_reserved,
                         .newest = std::move(record.newest),
                         .retained = std::move(record.retained),
                         .result = std::move(record.result)};
  record = {.job = change.job, .epoch = record.epoch, .earlier = std::move(earlier)};
}

void perform(const SettleRun&, RunRecord& record) { record.earlier.reset(); }

void perform(const AbandonRun&, RunRecord& record) {
  WEIR_CHECK(record.earlier.has_value());
  auto earlier = *std::move(record.earlier);
  record = {.job = earlier.job,
            .epoch = record.epoch,
            .ids_reserved = earlier.ids_reserved,
            .newest = std::move(earlier.newest),
            .retained = std::move(earlier.retained),
            .result = std::move(earlier.result)};
}

void perform(const ReserveIds& change, RunRecord& record) {
  WEIR_CHECK(change.up_to >= record.ids_reserved);
  record.ids_reserved = change.up_to;
}

void perform(const MovePointer& change, RunRecord& record) {
  WEIR_CHECK(!record.newest || change.newest.id >= record.newest->id);
  for (const auto& older : change.retained) WEIR_CHECK(older.id < change.newest.id);
  record.newest = change.newest;
  record.retained = change.retained;
  record.earlier.reset();
}

void perform(const Finish& change, RunRecord& record) {
  record.result = change.result;
  record.earlier.reset();
}
void perform(const Announce& change, RunRecord& record) {
  record.rest_address = change.rest_address;
}

}  // namespace

std::set<JobId> RunRecord::runs() const {
  std::set<JobId> runs{job};
  if (earlier) runs.insert(earlier->job);
  return runs;
}

RunRecord apply(RunRecord record, const Change& change) {
  std::visit([&record](const auto& one) { perform(one, record); }, change);
  return record;
}

}  // namespace weir::ha
