#include "weir/env/sim/sim_options.h"

#include <array>

#include "weir/base/random.h"

namespace weir::sim {
namespace {

template <std::size_t n>
std::int64_t any_of(Random& random, const std::int64_t (&choices)[n]) {
  return choices[random.below(n)];
}

// 0, or once in `often` .. 20 times that.
std::uint64_t rate(Random& random, std::uint64_t often) {
  if (random.below(2) == 0) return 0;
  return often + random.below(19 * often + 1);
}

void draw_scheduling(Random& random, SimOptions& options) {
  options.executor_threads = static_cast<std::uint32_t>(random.between(1, 4));
  options.io_threads = static_cast<std::uint32_t>(random.between(1, 4));
  options.step_cost.max = Duration::micros(any_of(random, {2, 20, 50, 200, 2000}));
  options.stall_one_in = rate(random, 200);
  options.stall.max = Duration::millis(any_of(random, {2, 20, 200}));
  options.wake_delay.max = Duration::micros(any_of(random, {0, 1, 20, 200, 5000}));
  options.spurious_step_one_in = rate(random, 20);
  options.wall_step_one_in = rate(random, 5);
}

void draw_disk(Random& random, SimOptions& options) {
  options.io_latency.max = Duration::micros(any_of(random, {10, 500, 5000, 50'000}));
  if (random.one_in(4))
    options.disk_bytes_per_second =
        static_cast<std::uint64_t>(any_of(random, {1'000'000, 10'000'000, 100'000'000}));
}

void draw_faults(Random& random, SimOptions& options) {
  if (random.one_in(3)) return;  // A third of all machines are only slow.
  options.read_error_one_in = rate(random, 300);
  options.write_error_one_in = rate(random, 100);
  options.sync_error_one_in = rate(random, 30);
  options.name_error_one_in = rate(random, 60);
  options.disk_full_one_in = rate(random, 300);
  options.disk_full.max = Duration::millis(any_of(random, {20, 500, 3000}));
}

}  // namespace

SimOptions draw_profile(std::uint64_t seed) {
  Random random(seed ^ 0x70726f66696c65ULL);  // Apart from the World's own draws.
  SimOptions options;
  draw_scheduling(random, options);
  draw_disk(random, options);
  draw_faults(random, options);
  return options;
}

}  // namespace weir::sim
