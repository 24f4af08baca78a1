#include "weir/env/api/file_system.h"

#include <gtest/gtest.h>

namespace weir::env {
namespace {

TEST(Paths, TidyingTakesAwayOnlyWhatChangesNothing) {
  for (const char* path : {"a", "./a", "a/", ".//a/.", "././a//"})
    EXPECT_EQ(tidy(path), "a") << path;
  for (const char* path : {"/a/b", "//a///b/", "/./a/./b"}) EXPECT_EQ(tidy(path), "/a/b") << path;
  EXPECT_EQ(tidy("a/../b"), "a/../b") << "a may be a link";
  EXPECT_EQ(tidy("/"), "/");
  EXPECT_EQ(tidy("./"), ".");
}

}  // namespace
}  // namespace weir::env
