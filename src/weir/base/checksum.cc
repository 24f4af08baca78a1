#include "weir/base/checksum.h"

// Compiled here, for the vector units that Weir is built for: the library as packaged knows the oldest only.
#define XXH_INLINE_ALL
#ifndef NDEBUG
#define XXH_NO_INLINE_HINTS 1  // A build for debugging does not inline all that it demands.
#endif
#include <xxhash.h>

namespace weir {

std::uint64_t checksum(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct RunningChecksum::State {
  XXH3_state_t xxh;
};

RunningChecksum::RunningChecksum() : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(&state_->xxh);
}
RunningChecksum::~RunningChecksum() = default;
RunningChecksum::RunningChecksum(RunningChecksum&&) noexcept = default;
RunningChecksum& RunningChecksum::operator=(RunningChecksum&&) noexcept = default;

void RunningChecksum::add(ByteView bytes) {
  XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}
std::uint64_t RunningChecksum::value() const { return XXH3_64bits_digest(&state_->xxh); }

}  // namespace weir
