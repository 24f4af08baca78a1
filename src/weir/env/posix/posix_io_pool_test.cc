#include "weir/env/posix/posix_io_pool.h"

#include <gtest/gtest.h>

#include <atomic>

namespace weir::env {
namespace {

TEST(PosixIoPool, OneThreadWorksInOrder) {
  std::vector<int> order;
  PosixIoPool pool(1);
  for (int i = 0; i != 100; ++i) pool.submit([&order, i] { order.push_back(i); });
  pool.stop();
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(PosixIoPool, StopFinishesWhatWasSubmittedWithWhatThatSubmits) {
  std::atomic<int> finished{0};
  PosixIoPool pool(3);
  std::function<void(int)> chain = [&](int left) {
    ++finished;
    if (left != 0) pool.submit([&chain, left] { chain(left - 1); });
  };
  for (int i = 0; i != 10; ++i) pool.submit([&chain] { chain(20); });
  pool.stop();
  EXPECT_EQ(finished.load(), 10 * 21);
}

TEST(PosixIoPool, PiecesRunSideBySide) {
  std::atomic<int> inside{0};
  PosixIoPool pool(2);
  for (int i = 0; i != 2; ++i)
    pool.submit([&] {
      inside.fetch_add(1);
      inside.notify_all();
      inside.wait(1);  // Only the other one can end this.
    });
  pool.stop();
  EXPECT_EQ(inside.load(), 2);
}

TEST(PosixIoPoolDeathTest, NobodySubmitsAfterTheEnd) {
  EXPECT_DEATH(
      {
        PosixIoPool pool(1);
        pool.stop();
        pool.submit([] {});
      },
      "running_");
}

}  // namespace
}  // namespace weir::env
