#pragma once

#include <optional>

#include "weir/base/fate.h"
#include "weir/base/result.h"
#include "weir/ha/api/run_record.h"

namespace weir::ha {

// The durable record of one job's run, held by the one process that leads it.
//
// Opening a store takes the lock, reads the record and makes the next epoch durable; from then on
// only this process may change it. open() is a static function of each implementation:
//
//   Errors  kRefused: another process leads the job. kInvalid: there is no way to exclude others
//           here. kCorrupt: there is a record, but it cannot be read; it is never taken for none
//   Shape   the lock is held until the store is destroyed or the process dies
//   Thread  one at a time; calls block on the disk
class Store {
 public:
  virtual ~Store() = default;

  // As it was before this process came; nullopt where this is the job's first start.
  virtual const std::optional<RunRecord>& found() const = 0;
  // As it is durably now, with this process's epoch.
  virtual const RunRecord& record() const = 0;

  // Changes the record in one step: afterwards it is the old or the new one, never something mixed.
  //
  // Absent with kRefused: another process has taken over; this one must stop. After kUnknown,
  // read_back() finds out; a write before that does so first. After kSyncFailed every call answers
  // kSyncFailed: nothing that is read from here on can be believed, and the process must end.
  virtual Written write(const Change& change) = 0;

  // Finds out what the last write of unknown fate has come to. Durable: record() says what is
  // there, which may be the record before that write or after it. Unknown: it could not be read;
  // ask again.
  virtual Written read_back() = 0;
};

// The answer to the question whether the pointer has moved, after a read_back().
Written pointer_fate(const Store& store, const Written& read_back, CheckpointId id);

}  // namespace weir::ha
