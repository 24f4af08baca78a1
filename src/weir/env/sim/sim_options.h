#pragma once

#include <cstdint>

#include "weir/base/random.h"
#include "weir/base/time.h"

namespace weir::sim {

// A span that is drawn anew each time, uniformly, both ends included.
struct Drawn {
  Duration min;
  Duration max;
};

inline Duration draw(const Drawn& span, Random& random) {
  return {random.between(span.min.ns, span.max.ns)};
}

// How a simulated machine behaves and what goes wrong on it. A plain value: the same options and
// the same seed give the same run. `x_one_in = n` means once in n times on average, 0 never.
struct SimOptions {
  // --- scheduling -----------------------------------------------------------------------------
  // Virtual threads of the executor, and of the I/O pool. All overlap in simulated time.
  std::uint32_t executor_threads = 2;
  std::uint32_t io_threads = 2;
  // What a step, or a piece of pool work beside its file calls, takes.
  Drawn step_cost{Duration::micros(1), Duration::micros(50)};
  // Once in so many steps the thread is held up in addition, as on a busy host.
  std::uint64_t stall_one_in = 0;
  Drawn stall{Duration::millis(1), Duration::millis(50)};
  // From wake() until the Runnable is ready; also by how much a timer or a piece of work is late.
  Drawn wake_delay{Duration{0}, Duration::micros(20)};
  // Once in so many steps a Runnable is stepped that nobody has woken, as a real executor may do.
  std::uint64_t spurious_step_one_in = 0;

  // --- wall clock -----------------------------------------------------------------------------
  WallTime wall_start{1'700'000'000'000};
  // Once in so many readings it steps by up to so much, in either direction.
  std::uint64_t wall_step_one_in = 0;
  Duration wall_step_max = Duration::seconds(3600);

  // --- what file calls take -------------------------------------------------------------------
  Drawn io_latency{Duration::micros(5), Duration::micros(500)};
  // All appends and reads share this bandwidth; 0 is without limit.
  std::uint64_t disk_bytes_per_second = 0;

  // --- named limits ---------------------------------------------------------------------------
  // What fits on the disk, in bytes of file content; 0 is without limit.
  std::uint64_t disk_bytes_max = 0;
  // Files open at once in one process; 0 is without limit.
  std::uint32_t open_files_max = 0;
  // Without, lock() says kNoLocks.
  bool has_locks = true;

  // --- faults, until World::stop_faults() -----------------------------------------------------
  // kUnavailable. A failed append may have landed in part; a failed sync of a file loses for good
  // what it should have made durable, though it can still be read and a later sync says ok; a
  // failed sync of a directory makes nothing durable and a later one does. The others have no
  // effect.
  std::uint64_t read_error_one_in = 0;   // open, read, list, info
  std::uint64_t write_error_one_in = 0;  // create, append, close
  std::uint64_t sync_error_one_in = 0;   // sync, sync_directory
  std::uint64_t name_error_one_in = 0;   // rename, link, remove, make and remove directory
  // Once in so many appends another process fills the disk, for so long: kExhausted.
  std::uint64_t disk_full_one_in = 0;
  Drawn disk_full{Duration::millis(10), Duration::millis(500)};
};

// A whole random profile: now a calm and fast machine, now one that stalls, fails and fills up.
SimOptions draw_profile(std::uint64_t seed);

}  // namespace weir::sim
