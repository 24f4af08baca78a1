#pragma once

#include <memory>

#include "weir/state/api/keyed_table.h"
#include "weir/state/heap/internal/segment_store.h"

namespace weir::state::heap {

// A KeyedTable over a SegmentStore, and what its backend asks of both.
class StoredTable : public KeyedTable {
 public:
  virtual SegmentStore& store() = 0;
};

// What a table is made from. References outlive it.
struct HeapTableParts {
  SlotLayout layout;
  GroupMap groups;
  memory::PageSource& pages;
  memory::Account& account;
  Cuts& cuts;
  std::uint32_t table;
};

// The table for this layout's kind of keys.
Result<std::unique_ptr<StoredTable>> make_heap_table(const HeapTableParts& parts);

}  // namespace weir::state::heap
