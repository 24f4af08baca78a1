#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace weir::test {

// From here on this process gets less memory than the stack of a thread takes. For a child that a death
// test forks; not under a sanitizer, which needs the address space.
inline void leave_no_room_for_a_stack() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + (4u << 20);
  const rlimit little{.rlim_cur = bytes, .rlim_max = bytes};
  setrlimit(RLIMIT_AS, &little);
}

}  // namespace weir::test
