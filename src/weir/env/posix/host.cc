#include "weir/env/posix/host.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstdlib>

namespace weir::env {

std::vector<std::uint32_t> cpus_available() {
  std::vector<std::uint32_t> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (std::uint32_t cpu = 0; cpu != CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  if (cpus.empty()) cpus.push_back(0);  // More processors than the set holds.
  return cpus;
}

std::uint32_t cores_available() { return static_cast<std::uint32_t>(cpus_available().size()); }

double load_average() {
  double minute = -1;
  return getloadavg(&minute, 1) == 1 ? minute : -1;
}

std::uint64_t open_files_max() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return limit.rlim_cur;
}

bool pin_this_thread(const std::vector<std::uint32_t>& cpus) {
  if (cpus.empty()) return true;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const auto cpu : cpus)
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

}  // namespace weir::env
