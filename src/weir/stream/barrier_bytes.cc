#include "weir/stream/barrier_bytes.h"

#include <algorithm>

namespace weir::stream {
namespace {

constexpr std::uint8_t kVersion = 1;
// No deadline: the barrier is aligned to its end.
constexpr std::int64_t kNever = -1;

}  // namespace

void write_barrier(const CheckpointBarrier& barrier, Instant now, ByteWriter& out) {
  WEIR_CHECK(barrier.target.size() <= kBarrierTargetBytesMax);
  out.number(kVersion);
  out.number(barrier.id.value);
  out.number(barrier.kind);
  out.number(barrier.alignment);
  out.number(barrier.triggered_at.unix_ms);
  const bool has_deadline = barrier.deadline != Instant::never();
  out.number(has_deadline ? std::max<std::int64_t>((barrier.deadline - now).ns, 0) : kNever);
  out.text(barrier.target);
}

Result<CheckpointBarrier> read_barrier(ByteReader& in, Instant now) {
  if (const auto version = in.number<std::uint8_t>(); in.ok() && version != kVersion)
    return Error{Code::kInvalid, "reading a barrier: version " + std::to_string(version) +
                                     " is not known, only " + std::to_string(kVersion)};
  CheckpointBarrier barrier;
  barrier.id = {in.number<std::uint64_t>()};
  const auto kind = in.number<std::uint8_t>();
  const auto alignment = in.number<std::uint8_t>();
  barrier.triggered_at = {in.number<std::int64_t>()};
  const auto left = in.number<std::int64_t>();
  const auto target = in.text();
  const bool is_one = in.ok() &&
                      kind <= static_cast<std::uint8_t>(CheckpointKind::kStopSavepoint) &&
                      alignment <= static_cast<std::uint8_t>(AlignmentMode::kUnaligned) &&
                      left >= kNever && target.size() <= kBarrierTargetBytesMax;
  if (!is_one) return Error{Code::kCorrupt, "reading a barrier: the bytes are none"};
  barrier.kind = static_cast<CheckpointKind>(kind);
  barrier.alignment = static_cast<AlignmentMode>(alignment);
  barrier.deadline = left == kNever ? Instant::never() : now + Duration{left};
  barrier.target = target;
  return barrier;
}

}  // namespace weir::stream
