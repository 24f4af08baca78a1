// Uses of the installed base only what needs its header, its library and a library of the system.
#include <cstdio>

#include "weir/base/checksum.h"
#include "weir/base/result.h"

int main() {
  const weir::Error error{weir::Code::kCorrupt, "checksum differs"};
  std::puts(error.during("reading chk-17/op-3").to_string().c_str());
  return weir::checksum({}) == 0x2d06800538d394c2ULL ? 0 : 1;  // XXH3-64 of no bytes
}
