#include "weir/env/api/mailbox.h"

#include <array>
#include <thread>

namespace weir::env {
namespace {

struct CountingWaker final : Waker {
  CountingWaker() { take(); }
  void became_ready() override { ++woken; }
  void sleep() { take(); }
  int woken = 0;
};

TEST(Mailbox, GivesLettersOutInOrderAndOnce) {
  Mailbox<int> mailbox;
  EXPECT_TRUE(mailbox.is_empty());
  EXPECT_TRUE(mailbox.take().empty());
  for (int i = 0; i != 3; ++i) mailbox.post(i);
  EXPECT_FALSE(mailbox.is_empty());
  EXPECT_EQ(mailbox.take(), (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(mailbox.is_empty());
  EXPECT_TRUE(mailbox.take().empty());
}

TEST(Mailbox, ALetterWakesTheOwnerOnceUntilItHasLooked) {
  Mailbox<int> mailbox;
  CountingWaker waker;
  mailbox.wake_with(waker);
  EXPECT_EQ(waker.woken, 1);
  waker.sleep();
  mailbox.post(1);
  mailbox.post(2);
  EXPECT_EQ(waker.woken, 2);
  waker.sleep();
  mailbox.post(3);
  EXPECT_EQ(waker.woken, 3);
}

TEST(Mailbox, LettersPostedBeforeItsOwnerIsKnownWakeItThen) {
  Mailbox<int> mailbox;
  mailbox.post(1);
  CountingWaker waker;
  mailbox.wake_with(waker);
  EXPECT_EQ(waker.woken, 1);
  EXPECT_EQ(mailbox.take(), std::vector<int>{1});
}

TEST(Mailbox, LettersOfSeveralThreadsAllArriveEachThreadsInOrder) {
  constexpr int kThreads = 3;
  constexpr int kLetters = 2000;
  Mailbox<std::pair<int, int>> mailbox;
  std::vector<std::thread> threads;
  for (int t = 0; t != kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i != kLetters; ++i) mailbox.post({t, i});
    });
  std::array<int, kThreads> next{};
  for (int got = 0; got != kThreads * kLetters;) {
    for (const auto& [thread, number] : mailbox.take()) {
      EXPECT_EQ(number, next[static_cast<std::size_t>(thread)]++);
      ++got;
    }
    std::this_thread::yield();
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace weir::env
