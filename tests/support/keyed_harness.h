#pragma once

#include <memory>

#include "weir/operators/api/operator_harness.h"
#include "weir/operators/process/keys.h"
#include "weir/state/heap/heap_backend.h"

// For tests of keyed operators.
namespace weir::operators {

// A harness for an operator over keyed state in memory, fed by that key.
template <class In, class Selector>
HarnessOptions keyed(Selector selector, HarnessOptions options = {}) {
  static state::heap::HeapStateBackend backend;
  options.backend = &backend;
  options.router = std::make_shared<KeyRouter<In, Selector>>(selector, options.max_parallelism);
  return options;
}

}  // namespace weir::operators
