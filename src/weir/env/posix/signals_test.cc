#include "weir/env/posix/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace weir::env {
namespace {

TEST(Signals, TheFirstOneIsACallOnAnotherThread) {
  std::atomic<int> seen{0};
  std::atomic<bool> elsewhere{false};
  const auto here = std::this_thread::get_id();
  {
    auto signals = Signals::open([&](int number) {
      elsewhere = std::this_thread::get_id() != here;
      seen = number;
      seen.notify_all();
    });
    ASSERT_TRUE(signals);
    raise(SIGTERM);
    seen.wait(0);
  }
  EXPECT_EQ(seen.load(), SIGTERM);
  EXPECT_TRUE(elsewhere.load());
}

TEST(Signals, PutsBackWhatWasThere) {
  struct sigaction before {};
  struct sigaction during {};
  struct sigaction after {};
  sigaction(SIGINT, nullptr, &before);
  {
    const auto signals = Signals::open([](int) {});
    sigaction(SIGINT, nullptr, &during);
  }
  sigaction(SIGINT, nullptr, &after);
  EXPECT_NE(during.sa_handler, before.sa_handler);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(Signals, AReaderThatWentAwayIsAnErrorAndNotTheEnd) {
  const auto signals = Signals::open([](int) {});
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

TEST(Signals, AFileThatMayNotGrowIsAnErrorAndNotTheEnd) {
  const auto signals = Signals::open([](int) {});
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  EXPECT_EQ(write(fileno(file), "x", 1), -1);
  EXPECT_EQ(errno, EFBIG);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::fclose(file);
}

TEST(SignalsDeathTest, TheSecondEndsTheProcessAtOnce) {
  EXPECT_EXIT(
      {
        const auto signals = Signals::open([](int) {
          for (;;) pause();  // A shutdown that hangs.
        });
        raise(SIGINT);
        raise(SIGTERM);
      },
      ::testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace weir::env
