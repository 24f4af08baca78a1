#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "weir/base/result.h"
#include "weir/memory/account.h"
#include "weir/memory/page_source.h"

namespace weir::memory {

// Blocks of one size, cut from slabs. A slab all of whose blocks have come back is given back too,
// but for one that is kept so that a load that swings around a slab's edge does not ask for pages
// each time.
//
//   Shape   blocks are aligned to 64 bytes; what a fresh one holds is not said. Slabs grow from 64
//           KiB to 2 MiB with the pool, so that a small one stays small and a large one has huge
//           pages
//   Errors  kExhausted from take(): the account's limit, or the machine has no memory
//   Thread  its owner's
class BlockPool {
 public:
  BlockPool(PageSource& source, Account& account, std::size_t block_bytes);
  // Every block is forgotten with the pool.
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  Result<void*> take();
  void give_back(void* block);

  // What is charged to the account.
  std::uint64_t held_bytes() const { return held_bytes_; }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct Slab {
    Pages pages;
    FreeBlock* free = nullptr;
    std::size_t untouched = 0;  // blocks from here on have never been taken
    std::size_t capacity = 0;
    std::size_t live = 0;

    bool is_full() const { return live == capacity; }
  };

  Status add_slab();
  Slab& slab_of(const void* block);
  void drop(Slab& slab);

  PageSource& source_;
  Account& account_;
  const std::size_t block_bytes_;
  std::uint64_t held_bytes_ = 0;
  std::vector<std::unique_ptr<Slab>> slabs_;  // by address
  std::vector<Slab*> with_room_;              // the last one is taken from
};

}  // namespace weir::memory
