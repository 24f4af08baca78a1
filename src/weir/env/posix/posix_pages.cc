#include "weir/env/posix/posix_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace weir::env {
namespace {

using memory::kHugePageBytes;

std::size_t whole_huge_pages(std::size_t bytes) {
  return (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
}

}  // namespace

void* PosixPages::take(std::size_t bytes) noexcept {
  if (bytes < kHugePageBytes) return small_.take(bytes);
  if (bytes > SIZE_MAX / 2) return nullptr;
  const auto wanted = whole_huge_pages(bytes);
  // One huge page more than wanted holds an aligned piece; what is over on either side goes back.
  const auto taken = wanted + kHugePageBytes;
  void* from = ::mmap(nullptr, taken, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (from == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(from);
  const auto before =
      (kHugePageBytes - reinterpret_cast<std::uintptr_t>(from) % kHugePageBytes) % kHugePageBytes;
  if (before != 0) ::munmap(begin, before);
  ::munmap(begin + before + wanted, kHugePageBytes - before);
  ::madvise(begin + before, wanted, MADV_HUGEPAGE);
  return begin + before;
}

void PosixPages::give_back(void* pages, std::size_t bytes) noexcept {
  if (bytes < kHugePageBytes) return small_.give_back(pages, bytes);
  ::munmap(pages, whole_huge_pages(bytes));
}

}  // namespace weir::env
