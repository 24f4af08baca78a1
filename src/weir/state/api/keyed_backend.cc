#include "weir/state/api/keyed_backend.h"

#include <algorithm>

#include "weir/types/schema.h"

namespace weir::state {

Status schemas_are_compatible(ByteView in_snapshot, ByteView in_job) {
  if (std::equal(in_snapshot.begin(), in_snapshot.end(), in_job.begin(), in_job.end())) return ok();
  const auto restored = schema_from(in_snapshot);
  const auto current = schema_from(in_job);
  if (!restored || !current)
    return Error{Code::kInvalid, "comparing schemas: the snapshot's is not the job's"};
  const auto compatibility = compare(*restored, *current);
  if (compatibility.verdict == Compatibility::Verdict::kAsIs) return ok();
  return Error{Code::kInvalid,
               "the job's type cannot read the restored one: " + compatibility.difference};
}

}  // namespace weir::state
