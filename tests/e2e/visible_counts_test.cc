#include "tests/e2e/visible_counts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace e2e {
namespace {

class VisibleCountsTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ + "/" + name) << text;
  }
  // What a scan complains of; nothing where it finds nothing.
  static std::string complaint(VisibleCounts& counts) {
    const auto scanned = counts.scan();
    return scanned ? std::string() : scanned.error().what;
  }

  const weir::test::TemporaryDirectory directory_;
  const std::string dir_ = directory_.path();
};

TEST_F(VisibleCountsTest, ADirectoryThatIsNotThereYetShowsNothing) {
  VisibleCounts counts(dir_ + "/none");
  EXPECT_EQ(complaint(counts), "");
  EXPECT_EQ(counts.lines(), 0u);
}

TEST_F(VisibleCountsTest, GrowingCountsAreReadOnceAndInOrderOfCheckpoints) {
  VisibleCounts counts(dir_);
  write("part-0-9", "count 1024 1\ncount 2048 1\n");
  write("part-1-9", "count 0 1\n");
  EXPECT_EQ(complaint(counts), "");
  write("part-0-10", "count 1024 2\n");
  write(".staged", "count 1024 77\n");
  EXPECT_EQ(complaint(counts), "");
  EXPECT_EQ(complaint(counts), "");
  EXPECT_EQ(counts.lines(), 4u);
  EXPECT_EQ(counts.highest(), 2u);
}

TEST_F(VisibleCountsTest, ALineThatComesTwiceIsDoubled) {
  VisibleCounts counts(dir_);
  write("part-0-1", "count 7 1\n");
  write("part-0-2", "count 7 2\ncount 7 2\n");
  EXPECT_NE(complaint(counts).find("part-0-2 line 2: doubled"), std::string::npos);
}

TEST_F(VisibleCountsTest, AGapIsALoss) {
  VisibleCounts counts(dir_);
  write("part-0-1", "count 7 1\ncount 7 3\n");
  EXPECT_NE(complaint(counts).find("part-0-1 line 2: lost"), std::string::npos);
}

TEST_F(VisibleCountsTest, ALineWithoutItsEndIsTorn) {
  VisibleCounts counts(dir_);
  write("part-0-1", "count 7 1\ncount 7 2");
  EXPECT_NE(complaint(counts).find("torn"), std::string::npos);
}

TEST_F(VisibleCountsTest, APartThatChangesOrVanishesIsNoticed) {
  VisibleCounts counts(dir_);
  write("part-0-1", "count 7 1\n");
  EXPECT_EQ(complaint(counts), "");
  write("part-0-1", "count 7 1\ncount 7 2\n");
  EXPECT_NE(complaint(counts).find("changed"), std::string::npos);
  std::filesystem::remove(dir_ + "/part-0-1");
  EXPECT_NE(complaint(counts).find("vanished"), std::string::npos);
}

TEST_F(VisibleCountsTest, AtTheEndEveryKeyHasTheSameCount) {
  VisibleCounts counts(dir_);
  write("part-0-1", "count 0 1\ncount 0 2\nend 0 2\nend 1 2\n");
  EXPECT_EQ(complaint(counts), "");
  EXPECT_TRUE(counts.check_end(2));
  EXPECT_FALSE(counts.check_end(3));
  write("part-0-2", "end 2 3\n");
  EXPECT_EQ(complaint(counts), "");
  EXPECT_FALSE(counts.check_end(3));
}

TEST_F(VisibleCountsTest, AKeyWhoseLastCountWasNotToldIsNoticedAtTheEnd) {
  VisibleCounts counts(dir_);
  write("part-0-1", "count 0 1\nend 0 2\n");
  EXPECT_EQ(complaint(counts), "");
  EXPECT_FALSE(counts.check_end(1));
}

}  // namespace
}  // namespace e2e
