#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace weir::state::heap {

inline constexpr std::uint32_t kSlots = 48;
inline constexpr std::uint64_t kAllSlots = (std::uint64_t{1} << kSlots) - 1;

// The number of a cut as a segment remembers it: the low bits of a count that goes up with every
// cut.
using CutNumber = std::uint16_t;

// Whether cut a came before cut b, for numbers less than 2^15 apart.
constexpr bool is_before(CutNumber a, CutNumber b) {
  return static_cast<std::int16_t>(static_cast<CutNumber>(a - b)) < 0;
}

// The first cache line of a segment; its 48 slots follow.
//
// A look-up reads this line and the slot, nothing else; and all that a snapshot must know of the 48
// entries is in the same line.
//
//   Shape   tag 0 is a free slot, others are bits of the hash. `pending` slots hold what the cut
//           with number `cut` still needs; `dirty` ones have changed since that cut. `depth` counts
//           the leading bits of position that all entries share (directory.h)
struct alignas(64) Segment {
  std::uint8_t tags[kSlots];
  std::uint64_t pending_and_cut;  // 48 + 16 bits
  std::uint64_t dirty_and_depth;  // 48 + 8 bits

  void reset(CutNumber cut, std::uint32_t depth) {
    for (auto& tag : tags) tag = 0;
    pending_and_cut = static_cast<std::uint64_t>(cut) << kSlots;
    dirty_and_depth = static_cast<std::uint64_t>(depth) << kSlots;
  }

  CutNumber cut() const { return static_cast<CutNumber>(pending_and_cut >> kSlots); }
  std::uint64_t pending() const { return pending_and_cut & kAllSlots; }
  void set_cut(CutNumber cut, std::uint64_t pending) {
    pending_and_cut = static_cast<std::uint64_t>(cut) << kSlots | pending;
  }
  void forget_pending(std::uint64_t slots) { pending_and_cut &= ~slots; }

  std::uint32_t depth() const { return static_cast<std::uint32_t>(dirty_and_depth >> kSlots); }
  void set_depth(std::uint32_t depth) {
    dirty_and_depth = dirty() | static_cast<std::uint64_t>(depth) << kSlots;
  }
  std::uint64_t dirty() const { return dirty_and_depth & kAllSlots; }
  void mark_dirty(std::uint64_t slots) { dirty_and_depth |= slots; }
  void forget_dirty(std::uint64_t slots) { dirty_and_depth &= ~slots; }

  // One bit per slot with this tag.
  std::uint64_t match(std::uint8_t tag) const;
  std::uint64_t free() const { return match(0); }
  std::uint64_t used() const { return ~free() & kAllSlots; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(std::popcount(used())); }

  std::byte* slots() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(Segment) == 64);

constexpr std::uint64_t slot_bit(std::uint32_t slot) { return std::uint64_t{1} << slot; }
inline std::uint32_t first_slot(std::uint64_t bits) {
  return static_cast<std::uint32_t>(std::countr_zero(bits));
}

#if defined(__SSE2__)

inline std::uint64_t Segment::match(std::uint8_t tag) const {
  const auto* line = reinterpret_cast<const __m128i*>(tags);
#if defined(__AVX2__)
  const __m256i low = _mm256_cmpeq_epi8(_mm256_load_si256(reinterpret_cast<const __m256i*>(tags)),
                                        _mm256_set1_epi8(static_cast<char>(tag)));
  const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
#else
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
  const auto first =
      static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(line), wanted))) |
      static_cast<std::uint32_t>(
          _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(line + 1), wanted)))
          << 16;
#endif
  const __m128i high =
      _mm_cmpeq_epi8(_mm_load_si128(line + 2), _mm_set1_epi8(static_cast<char>(tag)));
  return first | static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(high)))
                     << 32;
}

#else

inline std::uint64_t Segment::match(std::uint8_t tag) const {
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i != kSlots; ++i) bits |= std::uint64_t{tags[i] == tag} << i;
  return bits;
}

#endif

}  // namespace weir::state::heap
