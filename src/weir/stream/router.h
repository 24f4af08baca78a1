#pragma once

#include <cstdint>
#include <memory>

#include "weir/stream/any_batch.h"

namespace weir::stream {

// Says to which of an edge's consumers each record goes; one virtual call per batch.
//
//   Thread  the producing Subtask's
class Router {
 public:
  virtual ~Router() = default;
  // Writes target_of[i], 0 .. consumers-1, for the records from .. size()-1 of the batch, at index i. A router by
  // key also writes the batch's hash column.
  virtual void route(AnyBatch& batch, std::uint32_t from, std::uint32_t consumers,
                     std::uint16_t* target_of) = 0;
};

}  // namespace weir::stream
