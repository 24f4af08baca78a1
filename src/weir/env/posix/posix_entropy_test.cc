#include "weir/env/posix/posix_entropy.h"

#include <gtest/gtest.h>

namespace weir::env {
namespace {

TEST(PosixEntropy, DoesNotRepeatItself) {
  PosixEntropy entropy;
  std::set<std::uint64_t> seen;
  for (int i = 0; i != 100; ++i) seen.insert(entropy.bits());
  EXPECT_EQ(seen.size(), 100u);
}

}  // namespace
}  // namespace weir::env
