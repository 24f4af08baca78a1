#include "weir/state/api/snapshot_io.h"

#include <cstring>

namespace weir::state {

Status MemoryFile::append(ByteView bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return ok();
}

Status MemoryFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset > bytes_.size() || into.size() > bytes_.size() - offset) {
    return Error{Code::kCorrupt, "reading " + name_ + ": it ends at " +
                                     std::to_string(bytes_.size()) + ", wanted " +
                                     std::to_string(into.size()) + " bytes at offset " +
                                     std::to_string(offset)};
  }
  if (!into.empty()) std::memcpy(into.data(), bytes_.data() + offset, into.size());
  return ok();
}

}  // namespace weir::state
