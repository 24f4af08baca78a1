#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// How slots go from a segment into a staging chunk.
namespace weir::state::heap {

// What is saved is next read by another core, so it goes to memory past this core's caches, which the Subtask needs for
// its look-ups; and the line written to need not be fetched first. Both are whole lines.
inline void stream_line(std::byte* to, const std::byte* from) {
#if defined(__AVX__)
  const auto* source = reinterpret_cast<const __m256i*>(from);
  auto* target = reinterpret_cast<__m256i*>(to);
  const __m256i a = _mm256_load_si256(source);
  const __m256i b = _mm256_load_si256(source + 1);
  _mm256_stream_si256(target, a);
  _mm256_stream_si256(target + 1, b);
#elif defined(__SSE2__)
  const auto* source = reinterpret_cast<const __m128i*>(from);
  auto* target = reinterpret_cast<__m128i*>(to);
  const __m128i a = _mm_load_si128(source);
  const __m128i b = _mm_load_si128(source + 1);
  const __m128i c = _mm_load_si128(source + 2);
  const __m128i d = _mm_load_si128(source + 3);
  _mm_stream_si128(target, a);
  _mm_stream_si128(target + 1, b);
  _mm_stream_si128(target + 2, c);
  _mm_stream_si128(target + 3, d);
#else
  std::memcpy(to, from, 64);
#endif
}

inline bool is_of_lines(const void* at, std::size_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(at) | bytes) % 64 == 0;
}

// The commonest sizes without a call.
inline void copy_slots(std::byte* to, const std::byte* from, std::size_t bytes) {
  switch (bytes) {
    case 16:
      std::memcpy(to, from, 16);
      break;
    case 24:
      std::memcpy(to, from, 24);
      break;
    case 32:
      std::memcpy(to, from, 32);
      break;
    default:
      if (is_of_lines(to, bytes) && is_of_lines(from, bytes)) {
        for (std::size_t i = 0; i != bytes; i += 64) stream_line(to + i, from + i);
      } else {
        std::memcpy(to, from, bytes);
      }
  }
}

// One slot. A type, so that where it is called the copy is no call.
template <std::size_t kBytes>
struct CopySlot {
  void operator()(std::byte* to, const std::byte* from) const {
    if constexpr (kBytes == 64) {
      stream_line(to, from);
    } else {
      std::memcpy(to, from, kBytes);
    }
  }
};

// The lines that were streamed can be seen by whoever gets the chunk.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace weir::state::heap
