#include "weir/env/posix/internal/parking_spot.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace weir::env {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout,
                 nullptr, 0);
}

}  // namespace

void ParkingSpot::sleep(Duration span) {
  if (span > Duration{0}) {
    const timespec timeout{.tv_sec = span.ns / 1'000'000'000, .tv_nsec = span.ns % 1'000'000'000};
    // Whatever ends the wait (a wake-up, the timeout, a signal, a word that changed before), the
    // caller looks for itself.
    futex(parked_, FUTEX_WAIT_PRIVATE, 1, span == kForever ? nullptr : &timeout);
  }
  cancel();
}

void ParkingSpot::wake() {
  if (parked_.exchange(0, std::memory_order_seq_cst) == 1)
    futex(parked_, FUTEX_WAKE_PRIVATE, 1, nullptr);
}

}  // namespace weir::env
