#include "weir/state/heap/internal/deleted_keys.h"

#include <algorithm>

namespace weir::state::heap {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{32} << 10;

}  // namespace

DeletedKeys::~DeletedKeys() { account_.release(charged_); }

bool DeletedKeys::add(ByteView key_and_namespace, CutNumber newest) {
  const auto next_cut = static_cast<CutNumber>(newest + 1);
  const bool fits = !pieces_.empty() && pieces_.back().cut == next_cut &&
                    pieces_.back().keys.size() + key_and_namespace.size() <= kPieceBytes;
  if (!fits) {
    const auto capacity = std::max(kPieceBytes, key_and_namespace.size());
    if (!account_.charge(capacity)) return false;
    charged_ += capacity;
    pieces_.push_back({next_cut, {}});
    pieces_.back().keys.reserve(capacity);
  }
  auto& keys = pieces_.back().keys;
  keys.insert(keys.end(), key_and_namespace.begin(), key_and_namespace.end());
  return true;
}

void DeletedKeys::forget_until(CutNumber cut) {
  const auto kept = std::find_if(pieces_.begin(), pieces_.end(),
                                 [&](const Piece& piece) { return is_before(cut, piece.cut); });
  std::uint64_t bytes = 0;
  for (auto piece = pieces_.begin(); piece != kept; ++piece) bytes += piece->keys.capacity();
  pieces_.erase(pieces_.begin(), kept);
  account_.release(bytes);
  charged_ -= bytes;
}

void DeletedKeys::forget_all() {
  pieces_.clear();
  account_.release(charged_);
  charged_ = 0;
}

}  // namespace weir::state::heap
