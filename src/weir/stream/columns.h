#pragma once

#include <cstdint>

namespace weir::stream {

// Which optional columns the batches of an edge carry beside the records; fixed when the job is planned.
struct Columns {
  bool timestamps = false;  // EventTime of each record
  bool hashes = false;      // key hash of each record (types/key_hash.h)

  friend constexpr bool operator==(Columns, Columns) = default;
};

}  // namespace weir::stream
