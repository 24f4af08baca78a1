#pragma once

#include <set>

#include "weir/base/id.h"
#include "weir/storage/api/checkpoint_storage.h"

namespace weir::jobmaster {

// Deletes the checkpoints of runs that are not in `keep`, which is what the job's record names just
// now, and logs what went. A failure is a warning: the next start that resumes, and the end of the
// job, try again; behind the end only a start with --restart does.
//
//   Thread  any; blocks on the disk
void remove_other_runs(storage::CheckpointStorage& storage, const std::set<JobId>& keep);

}  // namespace weir::jobmaster
