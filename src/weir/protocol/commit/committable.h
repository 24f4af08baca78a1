#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "weir/base/id.h"

namespace weir::commit {

// A piece of output that is staged, complete and synced, and waits to be made visible. Its fields
// name it for ever: to commit the same committable twice is to commit it once.
//
//   Shape  ordered by checkpoint first: the order in which output becomes visible
struct Committable {
  CheckpointId checkpoint;  // at whose barrier it was staged
  SubtaskIndex subtask;     // which wrote it; after a restore another one may commit it
  JobId job;
  OperatorId sink;
  Epoch epoch;       // of the run that wrote it
  std::string what;  // the connector's own words: a file name, a transaction's name
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;

  friend auto operator<=>(const Committable&, const Committable&) = default;
};

}  // namespace weir::commit
