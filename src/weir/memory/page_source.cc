#include "weir/memory/page_source.h"

#include <new>

namespace weir::memory {
namespace {

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= kHugePageBytes ? kHugePageBytes : 64};
}

}  // namespace

void* HeapPages::take(std::size_t bytes) noexcept {
  return ::operator new(bytes, alignment_of(bytes), std::nothrow);
}

void HeapPages::give_back(void* pages, std::size_t bytes) noexcept {
  ::operator delete(pages, alignment_of(bytes));
}

}  // namespace weir::memory
