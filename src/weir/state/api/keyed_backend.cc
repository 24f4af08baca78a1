#include "weir/state/api/keyed_backend.h"

#include <algorithm>

namespace weir::state {

Status schemas_are_equal(ByteView in_snapshot, ByteView in_job) {
  if (std::equal(in_snapshot.begin(), in_snapshot.end(), in_job.begin(), in_job.end())) return ok();
  return Error{Code::kInvalid, "comparing schemas: the snapshot's is not the job's"};
}

}  // namespace weir::state
