#pragma once

#include <memory>

#include "weir/state/api/registry.h"
#include "weir/state/heap/heap_backend.h"

namespace weir::state::heap {

inline void register_plugin(Registry& registry) {
  registry.add("heap", []() -> std::unique_ptr<StateBackend> {
    return std::make_unique<HeapStateBackend>();
  });
}

}  // namespace weir::state::heap
