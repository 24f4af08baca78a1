#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace weir::env {

// Facts about the machine that this process may use.
//
//   Thread  any

// The processors that this process may run on, by the kernel's number. Never empty.
std::vector<std::uint32_t> cpus_available();
// How many these are.
std::uint32_t cores_available();
// The average length of the run queue over the last minute; negative where the system does not say.
double load_average();
// Keeps the calling thread on these processors; nothing where there are none. False where the system refuses.
bool pin_this_thread(const std::vector<std::uint32_t>& cpus);
// What to do where the system refuses a thread.
inline constexpr std::string_view kThreadAdvice =
    "raise the limits of memory and processes (ulimit -v, ulimit -u)";
// How many files this process may have open: `ulimit -n`.
std::uint64_t open_files_max();

}  // namespace weir::env
