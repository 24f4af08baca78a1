#pragma once

#include <functional>
#include <span>
#include <string>

#include "weir/state/api/keyed_backend.h"
#include "weir/state/api/keyed_table.h"

namespace weir::state {

// A table that is to be filled, and what is known of it.
struct RestoreTarget {
  const TableDescriptor* descriptor = nullptr;
  KeyedTable* table = nullptr;
};

struct RestoreRequest {
  std::span<const std::reference_wrapper<const ByteSource>> files;
  std::span<const RestoreTarget> targets;
  KeyGroupRange key_groups;
  std::uint32_t max_parallelism = 0;
  std::string operator_name;
  const SchemaCheck& check_schema;
};

// Fills a backend's tables from the files of any number of Subtasks, at whatever parallelism they
// were written: blocks of other key groups are passed over unread, entries of others skipped. For
// backends, which differ only in their tables.
//
//   Errors  kCorrupt, naming file and offset; kInvalid where a state of the file is not declared or
//           of another Schema, where max_parallelism differs, and for deltas; what the table says
//           (kExhausted). After an error the tables hold some of the entries
Status restore_tables(const RestoreRequest& request);

}  // namespace weir::state
