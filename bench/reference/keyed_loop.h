#pragma once

#include <cstdint>

#include "bench/reference/records.h"
#include "bench/reference/sum_table.h"

namespace weir::bench {

// Generates updates, adds each to its key's sum and writes the new sum into a reused batch.
inline void keyed_loop(SumTable& table, std::uint64_t first, std::uint64_t count,
                       std::uint64_t keys, Total* batch) {
  std::uint32_t n = 0;
  for (std::uint64_t i = first; i != first + count; ++i) {
    const Update update = make_update(i, keys);
    auto& sum = table.at(update.key);
    sum += update.value;
    batch[n++] = {update.key, sum};
    if (n == kBatch) {
      consume(batch);
      n = 0;
    }
  }
}

// The same, 32 look-ups under way at a time.
inline void keyed_loop_prefetching(SumTable& table, std::uint64_t first, std::uint64_t count,
                                   std::uint64_t keys, Total* batch) {
  constexpr std::uint32_t kWide = 32;
  Update updates[kWide];
  std::uint32_t n = 0;
  for (std::uint64_t i = first; i < first + count; i += kWide) {
    for (std::uint32_t j = 0; j != kWide; ++j) {
      updates[j] = make_update(i + j, keys);
      table.prefetch(updates[j].key);
    }
    for (const auto& update : updates) {
      auto& sum = table.at(update.key);
      sum += update.value;
      batch[n++] = {update.key, sum};
    }
    if (n == kBatch) {
      consume(batch);
      n = 0;
    }
  }
}

// The same from an empty table that grows by doubling: every key once.
inline void keyed_loop_growing(std::uint64_t keys, Total* batch) {
  SumTable table(0, SumTable::Memory::kUntouched);
  std::uint32_t n = 0;
  for (std::uint64_t i = 0; i != keys; ++i) {
    const Update update = first_update(i);
    auto& sum = table.at_growing(update.key);
    sum += update.value;
    batch[n++] = {update.key, sum};
    if (n == kBatch) {
      consume(batch);
      n = 0;
    }
  }
}

}  // namespace weir::bench
