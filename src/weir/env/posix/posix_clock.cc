#include "weir/env/posix/posix_clock.h"

#include <ctime>

namespace weir::env {
namespace {

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Instant PosixClock::now() const { return {read_ns(CLOCK_MONOTONIC)}; }
Instant PosixClock::coarse() const { return {read_ns(CLOCK_MONOTONIC_COARSE)}; }
WallTime PosixClock::wall() const { return {read_ns(CLOCK_REALTIME) / 1'000'000}; }

}  // namespace weir::env
