#include "weir/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace weir {

void check_failed(const char* condition, const char* detail, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this must hold: %s %s\n", file, line, condition, detail);
  std::abort();
}

}  // namespace weir
