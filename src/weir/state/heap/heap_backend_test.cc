#include "weir/state/heap/heap_backend.h"

#include "weir/state/api/backend_contract.h"

namespace weir::state {
namespace {

std::unique_ptr<StateBackend> make_heap_backend() {
  return std::make_unique<heap::HeapStateBackend>();
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Heap, BackendContract, testing::Values(&make_heap_backend));

}  // namespace weir::state
