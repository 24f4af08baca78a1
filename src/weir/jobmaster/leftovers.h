#pragma once

#include <set>

#include "weir/base/id.h"
#include "weir/ha/api/run_record.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::jobmaster {

// Deletes what nobody needs any more. A failure is a warning: the next start that resumes, and the
// end of the job, try again; behind the end only a start with --restart does.
//
//   Thread  any; blocks on the disk

// The run's own checkpoints but for those in `keep`: of every id that the record has given out.
void remove_checkpoints(storage::CheckpointStorage& storage, const ha::RunRecord& record,
                        const std::set<CheckpointId>& keep);
// The checkpoints of runs that are not in `keep`, which is what the job's record names just now; logs
// what went.
void remove_other_runs(storage::CheckpointStorage& storage, const std::set<JobId>& keep);

}  // namespace weir::jobmaster
