#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/memory/account.h"
#include "weir/state/heap/internal/segment.h"

namespace weir::state::heap {

// The keys that were deleted since some cut, for deltas. Kept only by tables that track changes.
//
//   Shape   dense entries without values, in pieces of about 32 KiB, each of one interval between
//           two cuts
class DeletedKeys {
 public:
  struct Piece {
    CutNumber cut = 0;  // the first cut that the deletions precede
    Bytes keys;
  };

  explicit DeletedKeys(memory::Account& account) : account_(account) {}
  ~DeletedKeys();
  DeletedKeys(const DeletedKeys&) = delete;
  DeletedKeys& operator=(const DeletedKeys&) = delete;

  // A key that is deleted after cut `newest`. False where the account has no room: then nothing is
  // known of deletions any more, and no delta can be cut.
  bool add(ByteView key_and_namespace, CutNumber newest);
  // Oldest first.
  const std::vector<Piece>& pieces() const { return pieces_; }
  // Forgets the deletions that precede `cut`.
  void forget_until(CutNumber cut);
  void forget_all();

 private:
  memory::Account& account_;
  std::uint64_t charged_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace weir::state::heap
