#include "weir/memory/block_pool.h"

#include <algorithm>
#include <functional>

namespace weir::memory {
namespace {

constexpr std::size_t kSlabBytesMin = std::size_t{64} << 10;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

BlockPool::BlockPool(PageSource& source, Account& account, std::size_t block_bytes)
    : source_(source), account_(account), block_bytes_(round_up(block_bytes, 64)) {
  WEIR_CHECK(block_bytes > 0);
}

BlockPool::~BlockPool() { account_.release(held_bytes_); }

Result<void*> BlockPool::take() {
  if (with_room_.empty()) WEIR_TRY(add_slab());
  Slab& slab = *with_room_.back();
  void* block = slab.free;
  if (block != nullptr) {
    slab.free = slab.free->next;
  } else {
    block = static_cast<std::byte*>(slab.pages.data()) + slab.untouched++ * block_bytes_;
  }
  ++slab.live;
  if (slab.is_full()) with_room_.pop_back();
  return block;
}

void BlockPool::give_back(void* block) {
  Slab& slab = slab_of(block);
  if (slab.is_full()) with_room_.push_back(&slab);
  slab.free = new (block) FreeBlock{slab.free};
  --slab.live;
  if (slab.live == 0 && with_room_.size() > 1) drop(slab);
}

Status BlockPool::add_slab() {
  // A quarter of what there is, so that at most a fifth lies idle.
  std::size_t bytes = std::clamp<std::size_t>(round_up(held_bytes_ / 4, kSlabBytesMin),
                                              kSlabBytesMin, kHugePageBytes);
  if (bytes < block_bytes_) bytes = block_bytes_;
  WEIR_TRY(account_.charge(bytes));
  auto slab = std::make_unique<Slab>();
  slab->pages = Pages(source_, bytes);
  if (!slab->pages) {
    account_.release(bytes);
    return Error{Code::kExhausted, "taking a slab: the machine has no memory, wanted " +
                                       std::to_string(bytes) + " bytes"};
  }
  slab->capacity = bytes / block_bytes_;
  held_bytes_ += bytes;
  with_room_.push_back(slab.get());
  const auto place =
      std::find_if(slabs_.begin(), slabs_.end(), [&](const std::unique_ptr<Slab>& other) {
        return std::greater<>()(other->pages.data(), slab->pages.data());
      });
  slabs_.insert(place, std::move(slab));
  return ok();
}

BlockPool::Slab& BlockPool::slab_of(const void* block) {
  const auto after = std::upper_bound(slabs_.begin(), slabs_.end(), block,
                                      [](const void* wanted, const std::unique_ptr<Slab>& slab) {
                                        return std::less<>()(wanted, slab->pages.data());
                                      });
  WEIR_CHECK(after != slabs_.begin());
  return **(after - 1);
}

void BlockPool::drop(Slab& slab) {
  std::erase(with_room_, &slab);
  account_.release(slab.pages.size());
  held_bytes_ -= slab.pages.size();
  std::erase_if(slabs_, [&](const std::unique_ptr<Slab>& other) { return other.get() == &slab; });
}

}  // namespace weir::memory
