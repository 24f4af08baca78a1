#include "weir/cluster/watchdog.h"

#include <tuple>

#include "tests/support/hand_env.h"
#include "tests/support/kept_log.h"

namespace weir::cluster {
namespace {

struct FakeTasks final : task::WatchedTasks {
  Pulse pulse() const override { return now; }
  std::vector<std::string> describe() const override {
    return {"count[0] waits for input", "count[1] is done"};
  }
  Pulse now{.moves = 7, .has_work = true, .is_busy = false};
};

// Twenty seconds, a second at a time.
class WatchdogTest : public testing::Test {
 protected:
  WatchdogTest() {
    watchdog_.start();
    hand_.run();
  }
  template <class EachSecond>
  std::vector<std::string> twenty_seconds(EachSecond each_second) {
    std::ignore = log_.take();  // What was before is of no interest.
    for (int second = 0; second != 20; ++second) {
      each_second(second);
      hand_.clock.advance(Duration::seconds(1));
      hand_.run();
    }
    return log_.take();
  }

  test::KeptLog log_;
  test::HandEnv hand_;
  FakeTasks tasks_;
  Watchdog watchdog_{{.patience = Duration::seconds(10), .aborts = false}, hand_.env, tasks_};
};

TEST_F(WatchdogTest, NamesEverySubtaskWhenNothingMovedForTenSecondsThoughSomethingIsQueued) {
  const std::vector<std::string> once{"Stuck task=\"count[0] waits for input\"",
                                      "Stuck task=\"count[1] is done\""};
  const auto lines = twenty_seconds([](int) {});
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(std::vector(lines.begin(), lines.begin() + 2), once);
  EXPECT_LE(lines.size(), 4u);
}

TEST_F(WatchdogTest, IsSilentWhileSomethingMovesOrIsBusyOrNothingIsQueued) {
  EXPECT_TRUE(
      twenty_seconds([&](int second) { tasks_.now.moves += second % 5 == 0 ? 1 : 0; }).empty());
  tasks_.now.is_busy = true;
  EXPECT_TRUE(twenty_seconds([](int) {}).empty());
  tasks_.now = {.moves = 7, .has_work = false, .is_busy = false};
  EXPECT_TRUE(twenty_seconds([](int) {}).empty());
}

TEST_F(WatchdogTest, EndsWhenItIsToldToAndSaysSoLast) {
  int ended = 0;
  watchdog_.stop([&] { ++ended; });
  hand_.run();
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(hand_.executor.is_done(watchdog_));
}

using WatchdogDeathTest = WatchdogTest;

TEST_F(WatchdogDeathTest, InTestsItAborts) {
  Watchdog strict({.patience = Duration::seconds(10), .aborts = true}, hand_.env, tasks_);
  strict.start();
  hand_.run();
  hand_.clock.advance(Duration::seconds(11));
  EXPECT_DEATH(hand_.run(), "");
  tasks_.now.is_busy = true;
  hand_.run();
  strict.stop([] {});
  hand_.run();
}

}  // namespace
}  // namespace weir::cluster
