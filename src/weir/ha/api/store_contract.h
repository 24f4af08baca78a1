#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "weir/ha/api/store.h"

// What every ha::Store owes. An implementation says
//
//   INSTANTIATE_TEST_SUITE_P(File, StoreContract, testing::Values(make_world));
namespace weir::ha {

// A place for the record of one job, which processes come to and leave.
class StoreWorld {
 public:
  virtual ~StoreWorld() = default;
  virtual Result<std::unique_ptr<Store>> open(JobId fresh) = 0;
};

class StoreContract : public testing::TestWithParam<std::function<std::unique_ptr<StoreWorld>()>> {
 protected:
  static JobId job(std::uint64_t n) { return make_job_id(1'700'000'000'000, n, n); }
  std::unique_ptr<Store> open(JobId fresh) {
    auto store = world_->open(fresh);
    if (store) return std::move(*store);
    ADD_FAILURE() << store.error().to_string();
    return nullptr;
  }
  StoreWorld& world() { return *world_; }

 private:
  std::unique_ptr<StoreWorld> world_ = GetParam()();
};

TEST_P(StoreContract, TheFirstStartFindsNothingAndTakesTheFirstEpoch) {
  const auto store = open(job(1));
  EXPECT_EQ(store->found(), std::nullopt);
  EXPECT_EQ(store->record(), (RunRecord{.job = job(1), .epoch = {1}}));
}

TEST_P(StoreContract, TheNextStartFindsTheRunUnderANewEpoch) {
  open(job(1));
  const auto store = open(job(2));
  EXPECT_EQ(store->found(), (RunRecord{.job = job(1), .epoch = {1}}));
  EXPECT_EQ(store->record(), (RunRecord{.job = job(1), .epoch = {2}}));
}

TEST_P(StoreContract, ASecondProcessIsRefusedAndChangesNothing) {
  const auto first = open(job(1));
  EXPECT_EQ(world().open(job(2)).error().code, Code::kRefused);
  EXPECT_TRUE(first->write(ReserveIds{{16}}));
  EXPECT_EQ(first->record(), (RunRecord{.job = job(1), .epoch = {1}, .ids_reserved = {16}}));
}

TEST_P(StoreContract, WhatWasWrittenIsFound) {
  const RunRecord want{
      .job = job(1),
      .epoch = {1},
      .ids_reserved = {32},
      .newest = Pointer{{18}, "0190/chk-18/_metadata"},
      .retained = {{{17}, "0190/chk-17/_metadata"}, {{15}, "0190/chk-15/_metadata"}},
      .result = RunResult{{1'700'000'000'000}, "counted 41,201,337 words"},
      .rest_address = "127.0.0.1:8081"};
  {
    const auto store = open(job(1));
    EXPECT_EQ(store->write(ReserveIds{{16}}), Written::durable());
    EXPECT_EQ(store->write(MovePointer{{{15}, "0190/chk-15/_metadata"}, {}}), Written::durable());
    EXPECT_EQ(store->write(ReserveIds{{32}}), Written::durable());
    EXPECT_EQ(store->write(MovePointer{*want.newest, want.retained}), Written::durable());
    EXPECT_EQ(store->write(Announce{want.rest_address}), Written::durable());
    EXPECT_EQ(store->write(Finish{*want.result}), Written::durable());
    EXPECT_EQ(store->record(), want);
    EXPECT_EQ(store->read_back(), Written::durable());
    EXPECT_EQ(store->record(), want);
  }
  EXPECT_EQ(open(job(2))->found(), want);
}

TEST_P(StoreContract, ANewRunCarriesNothingOverButTheEpoch) {
  {
    const auto store = open(job(1));
    EXPECT_TRUE(store->write(ReserveIds{{16}}));
    EXPECT_TRUE(store->write(MovePointer{{{3}, "0190/chk-3/_metadata"}, {}}));
    EXPECT_TRUE(store->write(Finish{{{5}, ""}}));
  }
  const auto store = open(job(2));
  EXPECT_TRUE(store->write(BeginRun{job(2)}));
  const EarlierRun earlier{.job = job(1),
                           .ids_reserved = {16},
                           .newest = Pointer{{3}, "0190/chk-3/_metadata"},
                           .retained = {},
                           .result = RunResult{{5}, ""}};
  EXPECT_EQ(store->record(), (RunRecord{.job = job(2), .epoch = {2}, .earlier = earlier}));
  EXPECT_TRUE(store->write(SettleRun{}));
  EXPECT_EQ(store->record(), (RunRecord{.job = job(2), .epoch = {2}}));
}

TEST_P(StoreContract, AnAbandonedRunLeavesTheEarlierOneAsItWas) {
  RunRecord earlier;
  {
    const auto store = open(job(1));
    EXPECT_TRUE(store->write(ReserveIds{{16}}));
    EXPECT_TRUE(store->write(MovePointer{{{2}, "0190/chk-2/_metadata"}, {}}));
    EXPECT_TRUE(store->write(
        MovePointer{Pointer{{3}, "0190/chk-3/_metadata"}, {Pointer{{2}, "0190/chk-2/_metadata"}}}));
    earlier = store->record();
  }
  {
    const auto store = open(job(2));
    EXPECT_TRUE(store->write(BeginRun{job(2)}));
    EXPECT_TRUE(store->write(ReserveIds{{32}}));
  }
  {
    // Begun anew once more, before the second has run.
    const auto store = open(job(3));
    EXPECT_TRUE(store->write(BeginRun{job(3)}));
    EXPECT_EQ(store->record().earlier->job, job(1));
    EXPECT_TRUE(store->write(AbandonRun{}));
  }
  const auto store = open(job(4));
  earlier.epoch = {3};
  EXPECT_EQ(store->found(), earlier);
}

TEST_P(StoreContract, TextsComeBackWhateverIsInThem) {
  const std::string text("a b\n=\t%41 \"q\" größe\0x\x7f\xff", 25);
  {
    const auto store = open(job(1));
    EXPECT_TRUE(store->write(Announce{text}));
    EXPECT_TRUE(store->write(Finish{{{-1}, text}}));
    EXPECT_TRUE(store->write(MovePointer{{{1}, text}, {}}));
  }
  const auto store = open(job(2));
  EXPECT_EQ(store->found()->rest_address, text);
  EXPECT_EQ(store->found()->result, (RunResult{{-1}, text}));
  EXPECT_EQ(store->found()->newest, (Pointer{{1}, text}));
}

}  // namespace weir::ha
