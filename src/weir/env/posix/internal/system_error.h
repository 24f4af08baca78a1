#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "weir/base/result.h"

namespace weir::env {

// The Error for a system call that left `number` in errno: "call path: reason".
Error system_error(std::string_view call, const std::string& path, int number);

// Makes a system call again for as long as a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

}  // namespace weir::env
