#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace weir {

// A time in the data, in milliseconds since 1970. It never mixes with an Instant.
struct EventTime {
  std::int64_t ms = std::numeric_limits<std::int64_t>::min();
  friend constexpr auto operator<=>(EventTime, EventTime) = default;
};

// A span on our clock, in nanoseconds.
struct Duration {
  std::int64_t ns = 0;

  static constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000'000}; }
  static constexpr Duration millis(std::int64_t n) { return {n * 1'000'000}; }
  static constexpr Duration micros(std::int64_t n) { return {n * 1'000}; }
  constexpr std::int64_t to_millis() const { return ns / 1'000'000; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return {a.ns * n}; }
};

// A point on our monotonic clock, in nanoseconds from an origin that only this process knows.
struct Instant {
  std::int64_t ns = 0;

  static constexpr Instant never() { return {std::numeric_limits<std::int64_t>::max()}; }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant a, Duration d) { return {a.ns + d.ns}; }
  friend constexpr Instant operator-(Instant a, Duration d) { return {a.ns - d.ns}; }
  friend constexpr Duration operator-(Instant a, Instant b) { return {a.ns - b.ns}; }
};

// A point on the wall clock, in milliseconds since 1970: for people and file names, never for
// deciding.
struct WallTime {
  std::int64_t unix_ms = 0;
  friend constexpr auto operator<=>(WallTime, WallTime) = default;
};

}  // namespace weir
