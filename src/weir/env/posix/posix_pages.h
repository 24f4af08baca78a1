#pragma once

#include "weir/memory/page_source.h"

namespace weir::env {

// Pages from the kernel: large pieces on huge pages where it has them, small ones from the language's heap.
//
//   Source  mmap and madvise(MADV_HUGEPAGE); where transparent huge pages are off, plain pages do the same, slower
class PosixPages final : public memory::PageSource {
 public:
  void* take(std::size_t bytes) noexcept override;
  void give_back(void* pages, std::size_t bytes) noexcept override;

 private:
  memory::HeapPages small_;
};

}  // namespace weir::env
