#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "weir/base/mutex.h"
#include "weir/ha/api/store.h"

namespace weir::ha {

// What MemoryStores keep their records in, shared by the lives of a job in one process.
//
//   Thread  any
class MemoryRuns {
 public:
  // The next write of any store that is open is answered with this fate, and done or not.
  struct Twist {
    Fate fate = Fate::kUnknown;
    bool is_done = false;  // with kUnknown and kSyncFailed
    Code code = Code::kUnavailable;
  };
  void twist_next_write(Twist twist);
  std::optional<RunRecord> record(const std::string& job_name) const;

 private:
  friend class MemoryStore;
  struct Run {
    std::optional<RunRecord> record;
    bool is_locked = false;
  };

  mutable Mutex mutex_;
  std::map<std::string, Run> runs_ WEIR_GUARDED_BY(mutex_);
  std::optional<Twist> twist_ WEIR_GUARDED_BY(mutex_);
};

// A Store in memory, for tests and for jobs without a checkpoint directory.
class MemoryStore final : public Store {
 public:
  // `fresh` becomes the job id where there is no record yet.
  static Result<std::unique_ptr<Store>> open(const std::shared_ptr<MemoryRuns>& runs,
                                             const std::string& job_name, JobId fresh);
  ~MemoryStore() override;

  const std::optional<RunRecord>& found() const override { return found_; }
  const RunRecord& record() const override { return record_; }
  Written write(const Change& change) override;
  Written read_back() override;

 private:
  MemoryStore(std::shared_ptr<MemoryRuns> runs, std::string job_name);

  const std::shared_ptr<MemoryRuns> runs_;
  const std::string job_name_;
  std::optional<RunRecord> found_;
  RunRecord record_;
  bool sync_failed_ = false;
};

}  // namespace weir::ha
