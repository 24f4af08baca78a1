#include "weir/ha/api/memory_store.h"
#include "weir/ha/api/run_start.h"
#include "weir/ha/api/store_contract.h"

namespace weir::ha {
namespace {

JobId job(std::uint64_t n) { return make_job_id(1'700'000'000'000, n, n); }

class MemoryWorld final : public StoreWorld {
 public:
  Result<std::unique_ptr<Store>> open(JobId fresh) override {
    return MemoryStore::open(runs_, "averages", fresh);
  }

 private:
  const std::shared_ptr<MemoryRuns> runs_ = std::make_shared<MemoryRuns>();
};

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract,
                         testing::Values([] { return std::make_unique<MemoryWorld>(); }));

TEST(MemoryStore, AnswersAsTheTestAsked) {
  const auto runs = std::make_shared<MemoryRuns>();
  const auto store = *MemoryStore::open(runs, "averages", job(1));
  const MovePointer third{{{3}, "x/chk-3/_metadata"}, {}};
  const auto asked = [&] { return pointer_fate(*store, store->read_back(), {3}).fate(); };

  runs->twist_next_write({Fate::kAbsent});
  EXPECT_EQ(store->write(third).fate(), Fate::kAbsent);
  EXPECT_EQ(asked(), Fate::kAbsent);
  runs->twist_next_write({Fate::kUnknown, false});
  EXPECT_EQ(store->write(third).fate(), Fate::kUnknown);
  EXPECT_EQ(asked(), Fate::kAbsent);
  runs->twist_next_write({Fate::kUnknown, true});
  EXPECT_EQ(store->write(third).fate(), Fate::kUnknown);
  EXPECT_EQ(store->record().newest, std::nullopt);
  EXPECT_EQ(asked(), Fate::kDurable);
  runs->twist_next_write({Fate::kSyncFailed, true});
  EXPECT_EQ(store->write(ReserveIds{{16}}).fate(), Fate::kSyncFailed);
  EXPECT_EQ(store->write(ReserveIds{{16}}).fate(), Fate::kSyncFailed);
  EXPECT_EQ(asked(), Fate::kSyncFailed);
  EXPECT_EQ(runs->record("averages")->ids_reserved, CheckpointId{16});
}

TEST(RunRecordDeathTest, NothingGoesBack) {
  const RunRecord record{.job = job(1),
                         .epoch = {1},
                         .ids_reserved = {16},
                         .newest = Pointer{{5}, "x"},
                         .retained = {},
                         .result = {},
                         .rest_address = ""};
  EXPECT_EQ(apply(record, MovePointer{{{5}, "x"}, {}}), record);
  EXPECT_EQ(apply(record, ReserveIds{{16}}), record);
  EXPECT_DEATH(apply(record, ReserveIds{{15}}), "ids_reserved");
  EXPECT_DEATH(apply(record, MovePointer{{{4}, "x"}, {}}), "newest");
  EXPECT_DEATH(apply(record, MovePointer{Pointer{{6}, "x"}, {Pointer{{6}, "y"}}}), "older.id");
}

TEST(RunRecordTest, ACompletedCheckpointOrAResultSettlesARun) {
  const auto begun = apply({.job = job(1), .epoch = {1}}, BeginRun{job(2)});
  ASSERT_TRUE(begun.earlier);
  EXPECT_FALSE(apply(begun, MovePointer{{{1}, "x"}, {}}).earlier);
  EXPECT_FALSE(apply(begun, Finish{{{5}, ""}}).earlier);
  EXPECT_TRUE(apply(begun, ReserveIds{{16}}).earlier);
  EXPECT_DEATH(apply(apply(begun, SettleRun{}), AbandonRun{}), "earlier");
}

// What is not among them may be deleted.
TEST(RunRecordTest, SpeaksOfItsRunAndOfTheEarlierOneUntilThatIsReplaced) {
  const auto begun = apply({.job = job(1), .epoch = {1}}, BeginRun{job(2)});
  EXPECT_EQ(begun.runs(), (std::set{job(1), job(2)}));
  EXPECT_EQ(apply(begun, SettleRun{}).runs(), std::set{job(2)});
  EXPECT_EQ(apply(begun, AbandonRun{}).runs(), std::set{job(1)});
}

// How a command line that is given again goes on, by what the last process left.
struct StartCase {
  const char* says;
  std::optional<RunRecord> found;
  bool restart;
  Start want;
};

TEST(DecideStart, ByWhatWasLeft) {
  const Pointer newest{{17}, "x/chk-17/_metadata"};
  const RunRecord begun{.job = job(1), .epoch = {1}};
  RunRecord running = begun;
  running.newest = newest;
  RunRecord finished = running;
  finished.result = RunResult{{1'764'441'845'999}, "45 records"};
  const AlreadyFinished done{*finished.result,
                             "Job 'averages' finished at 2025-11-29 18:44:05 UTC (45 records). "
                             "Nothing is left to do; --restart runs it anew."};
  const StartCase cases[] = {
      {"nothing: a new run", std::nullopt, false, NewRun{job(9)}},
      {"nothing, --restart: the same", std::nullopt, true, NewRun{job(9)}},
      {"killed before its first checkpoint: the run goes on, from the beginning", begun, false,
       ResumeRun{job(1), std::nullopt}},
      {"killed, failed or suspended: from its newest checkpoint", running, false,
       ResumeRun{job(1), newest}},
      {"the same, --restart: a new run", running, true, NewRun{job(9)}},
      {"finished: nothing to do", finished, false, done},
      {"finished, --restart: a new run", finished, true, NewRun{job(9)}},
  };
  for (const auto& c : cases) {
    const StartOptions options{.job_name = "averages", .restart = c.restart};
    EXPECT_EQ(decide_start(c.found, options, job(9)), c.want) << c.says;
  }
}

TEST(UtcText, SaysTheTimeForPeople) {
  EXPECT_EQ(utc_text({0}), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(utc_text({-1}), "1969-12-31 23:59:59 UTC");
  EXPECT_EQ(utc_text({1'709'208'309'000}), "2024-02-29 12:05:09 UTC");
}

}  // namespace
}  // namespace weir::ha
