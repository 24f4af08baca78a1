#pragma once

#include <cstdint>

#include "bench/reference/records.h"

namespace weir::bench {

// map, filter, map over the numbers first .. first+count-1 in one pass, results into a reused batch, without a branch
// that depends on the data: what a person writes by hand. Returns how many came out.
inline std::uint64_t chain_loop(std::uint64_t first, std::uint64_t count, Wide* batch) {
  std::uint64_t out = 0;
  std::uint32_t n = 0;
  for (std::uint64_t i = first; i != first + count; ++i) {
    const Wide once = mix(make_wide(i));
    batch[n] = mix(once);
    n += keep(once) ? 1 : 0;
    if (n == kBatch) {
      consume(batch);
      out += n;
      n = 0;
    }
  }
  consume(batch);
  return out + n;
}

}  // namespace weir::bench
