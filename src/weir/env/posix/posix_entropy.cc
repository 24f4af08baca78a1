#include "weir/env/posix/posix_entropy.h"

#include <sys/random.h>

#include <cerrno>

#include "weir/base/check.h"

namespace weir::env {

std::uint64_t PosixEntropy::bits() {
  std::uint64_t value = 0;
  // Eight bytes come whole once the kernel's pool is up; only waiting for that can be interrupted.
  ssize_t got;
  do {
    got = getrandom(&value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  WEIR_CHECK(got == sizeof value);
  return value;
}

}  // namespace weir::env
