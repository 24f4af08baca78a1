#include "weir/ha/api/run_record.h"

#include "weir/base/check.h"

namespace weir::ha {
namespace {

void perform(const BeginRun& change, RunRecord& record) {
  const auto epoch = record.epoch;
  record = {};
  record.job = change.job;
  record.epoch = epoch;
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
}

void perform(const Finish& change, RunRecord& record) { record.result = change.result; }
void perform(const Announce& change, RunRecord& record) {
  record.rest_address = change.rest_address;
}

}  // namespace

RunRecord apply(RunRecord record, const Change& change) {
  std::visit([&record](const auto& one) { perform(one, record); }, change);
  return record;
}

}  // namespace weir::ha
