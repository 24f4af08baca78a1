#pragma once

#include "weir/state/api/keyed_backend.h"

namespace weir::state::heap {

// Keyed state in this process's memory.
//
//   Errors  as StateBackend says
//   Thread  open() from any; a backend is its Subtask's
//   Source  docs/decisions/0007-heap-table-layout.md
class HeapStateBackend final : public StateBackend {
 public:
  Result<std::unique_ptr<KeyedBackend>> open(const KeyedBackendContext& context) override;
};

}  // namespace weir::state::heap
