#include "weir/stream/byte_block.h"

namespace weir::stream {

void ByteBlockRef::drop() {
  if (block_ && block_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    ByteBlockPool::give_back(block_);
}

std::shared_ptr<ByteBlockPool> ByteBlockPool::make(std::size_t block_bytes) {
  return std::shared_ptr<ByteBlockPool>(new ByteBlockPool(block_bytes));
}

ByteBlockPool::~ByteBlockPool() {
  for (ByteBlock* list : {free_, returned_.load(std::memory_order_acquire)}) {
    while (list) delete std::exchange(list, list->next_free_);
  }
}

ByteBlockRef ByteBlockPool::take() {
  if (!free_) free_ = returned_.exchange(nullptr, std::memory_order_acquire);
  if (free_) return hand_out(std::exchange(free_, free_->next_free_));
  ++made_;
  return hand_out(new ByteBlock(block_bytes_));
}

ByteBlockRef ByteBlockPool::take(std::size_t bytes_min) {
  if (bytes_min <= block_bytes_) return take();
  ++made_;
  return hand_out(new ByteBlock(bytes_min));
}

ByteBlockRef ByteBlockPool::hand_out(ByteBlock* block) {
  block->home_ = shared_from_this();
  return ByteBlockRef(block);
}

void ByteBlockPool::give_back(ByteBlock* block) {
  const auto pool = std::move(block->home_);  // Where the owner has gone, this is the pool's end.
  if (block->capacity_ > pool->block_bytes_) {
    delete block;
    return;
  }
  block->next_free_ = pool->returned_.load(std::memory_order_relaxed);
  while (!pool->returned_.compare_exchange_weak(block->next_free_, block, std::memory_order_release,
                                                std::memory_order_relaxed)) {
  }
}

}  // namespace weir::stream
