#include "weir/env/api/strand.h"

#include "tests/support/hand_env.h"

namespace weir::env {
namespace {

using Order = std::vector<int>;

TEST(Strand, RunsWhatWasSubmittedInOrderOnePieceAtATime) {
  test::HandIoPool pool;
  Strand strand(pool);
  Order order;
  for (int i = 0; i != 5; ++i) strand.submit([&, i] { order.push_back(i); });
  EXPECT_EQ(pool.waiting(), 1u);
  pool.run_one();
  EXPECT_EQ(order, Order{0});
  EXPECT_EQ(pool.waiting(), 1u);
  pool.run_all();
  EXPECT_EQ(order, (Order{0, 1, 2, 3, 4}));
}

TEST(Strand, ABusyOneLetsOthersRunAfterEveryPiece) {
  test::HandIoPool pool;
  Strand busy(pool);
  Order order;
  for (int i = 0; i != 100; ++i) busy.submit([&, i] { order.push_back(i); });
  pool.submit([&] { order.push_back(-1); });
  pool.run_all();
  ASSERT_EQ(order.size(), 101u);
  EXPECT_EQ(order[1], -1);
}

TEST(Strand, WorkMaySubmitMoreWhichRunsLast) {
  test::HandIoPool pool;
  Strand strand(pool);
  Order order;
  strand.submit([&] {
    order.push_back(0);
    strand.submit([&] { order.push_back(2); });
  });
  strand.submit([&] { order.push_back(1); });
  pool.run_all();
  EXPECT_EQ(order, (Order{0, 1, 2}));
}

TEST(Strand, WhatWasSubmittedRunsAlsoWhenTheStrandHasGone) {
  test::HandIoPool pool;
  int runs = 0;
  {
    Strand strand(pool);
    for (int i = 0; i != 3; ++i) strand.submit([&] { ++runs; });
  }
  pool.run_all();
  EXPECT_EQ(runs, 3);
}

TEST(Strand, WhatAPieceHoldsIsGoneBeforeTheNextOneRuns) {
  test::HandIoPool pool;
  Strand strand(pool);
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = held;
  bool was_gone = false;
  strand.submit([held = std::move(held)] {});
  strand.submit([&] { was_gone = watched.expired(); });
  pool.run_all();
  EXPECT_TRUE(was_gone);
}

}  // namespace
}  // namespace weir::env
