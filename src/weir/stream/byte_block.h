#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace weir::stream {

class ByteBlockPool;

// A piece of memory that the Text fields of records point into. It lives as long as a batch holds it and goes
// back to its pool after the last one let go.
//
//   Shape   bytes() is capacity() bytes long; who filled it knows how far
//   Thread  written by one thread before it is shared; references may be dropped on any
class ByteBlock {
 public:
  std::span<std::byte> bytes() { return {memory_.get(), capacity_}; }
  std::size_t capacity() const { return capacity_; }

 private:
  friend class ByteBlockRef;
  friend class ByteBlockPool;
  explicit ByteBlock(std::size_t capacity)
      : memory_(new std::byte[capacity]), capacity_(capacity) {}

  std::unique_ptr<std::byte[]> memory_;
  const std::size_t capacity_;
  std::shared_ptr<ByteBlockPool>
      home_;  // while it is out; a free block must not keep its pool alive
  ByteBlock* next_free_ = nullptr;
  std::atomic<std::uint32_t> references_{
      0};  // Partner: itself; the last decrement acquires all others.
};

// A counted reference to a ByteBlock.
class ByteBlockRef {
 public:
  ByteBlockRef() = default;
  explicit ByteBlockRef(ByteBlock* block) : block_(block) { add(); }
  ByteBlockRef(const ByteBlockRef& other) : block_(other.block_) { add(); }
  ByteBlockRef(ByteBlockRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  ByteBlockRef& operator=(ByteBlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~ByteBlockRef() { drop(); }

  explicit operator bool() const { return block_ != nullptr; }
  ByteBlock* operator->() const { return block_; }
  ByteBlock* get() const { return block_; }

 private:
  void add() {
    if (block_) block_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  void drop();

  ByteBlock* block_ = nullptr;
};

// Makes ByteBlocks of one capacity and gives used ones out again, so that a steady stream allocates nothing.
//
//   Thread  take() is its owner's; blocks come back from any thread, without a lock
class ByteBlockPool : public std::enable_shared_from_this<ByteBlockPool> {
 public:
  static std::shared_ptr<ByteBlockPool> make(std::size_t block_bytes);
  ~ByteBlockPool();

  ByteBlockRef take();
  // One of at least that size, which is not kept afterwards if it is larger than the pool's.
  ByteBlockRef take(std::size_t bytes_min);
  std::size_t block_bytes() const { return block_bytes_; }
  // Blocks ever made: constant in steady state.
  std::uint64_t made() const { return made_; }

 private:
  friend class ByteBlockRef;
  explicit ByteBlockPool(std::size_t block_bytes) : block_bytes_(block_bytes) {}
  ByteBlockRef hand_out(ByteBlock* block);
  static void give_back(ByteBlock* block);

  const std::size_t block_bytes_;
  std::uint64_t made_ = 0;
  ByteBlock* free_ = nullptr;                  // the owner's
  std::atomic<ByteBlock*> returned_{nullptr};  // Partner: take()'s exchange of the whole stack.
};

}  // namespace weir::stream
