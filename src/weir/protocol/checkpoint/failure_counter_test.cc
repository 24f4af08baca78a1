#include "weir/protocol/checkpoint/failure_counter.h"

namespace weir::checkpoint {
namespace {

TEST(FailureCounter, NoneTolerableFailsOnTheFirst) {
  FailureCounter counter(0);
  EXPECT_TRUE(counter.on_failure({1}));
}

TEST(FailureCounter, EachIdCountsOnce) {
  FailureCounter counter(1);
  EXPECT_FALSE(counter.on_failure({1}));
  EXPECT_FALSE(counter.on_failure({1}));
  EXPECT_TRUE(counter.on_failure({2}));
}

TEST(FailureCounter, FailuresUpToTheLastSuccessNeverCount) {
  FailureCounter counter(0);
  counter.on_success({5});
  EXPECT_FALSE(counter.on_failure({4}));
  EXPECT_FALSE(counter.on_failure({5}));
  EXPECT_TRUE(counter.on_failure({6}));
}

TEST(FailureCounter, OnlyASuccessNewerThanTheLastClearsIt) {
  FailureCounter counter(2);
  counter.on_success({5});
  EXPECT_FALSE(counter.on_failure({6}));
  counter.on_success({4});
  EXPECT_EQ(counter.failures(), 1u);
  counter.on_success({7});
  EXPECT_EQ(counter.failures(), 0u);
}

TEST(FailureCounter, BeginsAnewAfterItHasFailedTheJob) {
  FailureCounter counter(1);
  EXPECT_FALSE(counter.on_failure({1}));
  EXPECT_TRUE(counter.on_failure({2}));
  EXPECT_FALSE(counter.on_failure({3}));
  EXPECT_TRUE(counter.on_failure_without_id());
}

}  // namespace
}  // namespace weir::checkpoint
