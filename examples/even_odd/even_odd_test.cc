#include "examples/even_odd/even_odd.h"

#include <algorithm>
#include <filesystem>

namespace examples {
namespace {

// 1+3+5 and 2+4 are behind the barrier; 6 and 7 are read again; 1+3+5+7+9 and 2+4+6+8 are the ends.
TEST(EvenOddTest, RestoresBothSumsAndTheOffsetAndEndsWithTheRightSums) {
  std::string dir = testing::TempDir() + "even-odd-XXXXXX";
  ASSERT_NE(mkdtemp(dir.data()), nullptr);
  weir::Environment env({"--checkpoint-dir", dir, "--threads", "2", "-Dweir.watchdog-aborts=true"});
  const auto diary = std::make_shared<Diary>();
  const auto sums = std::make_shared<weir::Collected<std::string>>();
  ASSERT_EQ(even_odd(env, diary, weir::collect(sums)), 0);
  std::filesystem::remove_all(dir);

  auto lines = diary->lines();
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"failed at 7", "restored offset 5",
                                             "restored sum_even 6", "restored sum_odd 9"}));
  auto values = sums->values();
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<std::string>{"sum_even is 20", "sum_odd is 25"}));
}

}  // namespace
}  // namespace examples
