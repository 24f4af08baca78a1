#include "weir/ha/api/memory_store.h"

namespace weir::ha {
namespace {

Error twisted(Fate fate, Code code = Code::kUnavailable) {
  return {code, "writing the run record in memory: " + std::string(fate_name(fate)) +
                    ", as the test asked for"};
}

}  // namespace

void MemoryRuns::twist_next_write(Twist twist) {
  WEIR_CHECK(twist.fate != Fate::kDurable);
  MutexLock lock(mutex_);
  twist_ = twist;
}

std::optional<RunRecord> MemoryRuns::record(const std::string& job_name) const {
  MutexLock lock(mutex_);
  const auto run = runs_.find(job_name);
  return run == runs_.end() ? std::nullopt : run->second.record;
}

MemoryStore::MemoryStore(std::shared_ptr<MemoryRuns> runs, std::string job_name)
    : runs_(std::move(runs)), job_name_(std::move(job_name)) {}

MemoryStore::~MemoryStore() {
  MutexLock lock(runs_->mutex_);
  runs_->runs_[job_name_].is_locked = false;
}

Result<std::unique_ptr<Store>> MemoryStore::open(const std::shared_ptr<MemoryRuns>& runs,
                                                 const std::string& job_name, JobId fresh) {
  MutexLock lock(runs->mutex_);
  auto& run = runs->runs_[job_name];
  if (run.is_locked)
    return Error{Code::kRefused,
                 "opening the run record of job '" + job_name + "' in memory: it is held already"};
  run.is_locked = true;
  auto store = std::unique_ptr<MemoryStore>(new MemoryStore(runs, job_name));
  store->found_ = run.record;
  store->record_ = run.record ? *run.record : RunRecord{.job = fresh};
  store->record_.epoch.value++;
  run.record = store->record_;
  return std::unique_ptr<Store>(std::move(store));
}

Written MemoryStore::write(const Change& change) {
  if (sync_failed_) return Written::sync_failed(twisted(Fate::kSyncFailed));
  MutexLock lock(runs_->mutex_);
  auto& stored = runs_->runs_[job_name_].record;
  WEIR_CHECK(stored.has_value());
  record_ = *stored;
  auto next = apply(record_, change);
  const auto twist = std::exchange(runs_->twist_, std::nullopt);
  if (!twist) {
    stored = record_ = std::move(next);
    return Written::durable();
  }
  if (twist->fate == Fate::kAbsent) return Written::absent(twisted(Fate::kAbsent, twist->code));
  if (twist->is_done) stored = std::move(next);
  if (twist->fate == Fate::kUnknown) return Written::unknown(twisted(Fate::kUnknown));
  sync_failed_ = true;
  return Written::sync_failed(twisted(Fate::kSyncFailed));
}

Written MemoryStore::read_back() {
  if (sync_failed_) return Written::sync_failed(twisted(Fate::kSyncFailed));
  MutexLock lock(runs_->mutex_);
  record_ = *runs_->runs_[job_name_].record;
  return Written::durable();
}

}  // namespace weir::ha
