#include "weir/environment/progress.h"

#include <gtest/gtest.h>

namespace weir::environment {
namespace {

using Metrics = std::map<std::string, std::uint64_t>;

const Metrics kTwoReadersAndAnEnumerator = {
    {"subtask.lines splits[0].source_total", 600},
    {"subtask.lines splits[0].records_read", 0},
    {"subtask.lines splits[0].records_in", 0},
    {"subtask.lines -> words[0].source_done", 120},
    {"subtask.lines -> words[0].source_total", 200},
    {"subtask.lines -> words[0].records_read", 12},
    {"subtask.lines -> words[0].records_in", 1},
    {"subtask.lines -> words[1].source_done", 131},
    {"subtask.lines -> words[1].source_total", 200},
    {"subtask.lines -> words[1].records_read", 13},
    {"subtask.lines -> words[1].records_in", 1},
    {"subtask.count -> out[0].records_read", 0},
    {"subtask.count -> out[0].records_in", 70},
    {"subtask.count -> out[1].records_read", 0},
    {"subtask.count -> out[1].records_in", 80},
    {"checkpoint.last_id", 7},
    {"checkpoint.last_bytes", 3'200'000},
    {"checkpoint.last_duration_us", 12'345},
};

TEST(ProgressFigures, SpeakOfTheWholeInputAlsoOfWhatNoReaderHas) {
  const auto figures = progress_figures(kTwoReadersAndAnEnumerator);
  EXPECT_EQ(figures.done, 251u);
  EXPECT_EQ(figures.total, 1000u);
  EXPECT_EQ(figures.records_read, 25u);
  const Metrics want = {{"count", 150}, {"lines", 25}};
  EXPECT_EQ(figures.records_by_operator, want);
}

TEST(ProgressLine, TellsShareRateCheckpointAndRecords) {
  EXPECT_EQ(progress_line(progress_figures(kTwoReadersAndAnEnumerator), Duration::millis(12'000),
                          851'101.4),
            "progress:   12.0 s   25.1 %     851101 records/s  checkpoint 7: 3.2 MB in 12 ms  "
            "count 150, lines 25\n");
}

TEST(ProgressLine, TellsNoShareBeforeTheInputWasLookedAt) {
  EXPECT_EQ(progress_line({}, Duration::millis(50), 0.0),
            "progress:    0.1 s      - %          0 records/s  checkpoint -\n");
}

TEST(ProgressLine, SaysOneHundredOnlyWhenNothingIsLeft) {
  ProgressFigures figures{.done = 99'999'999, .total = 100'000'000};
  EXPECT_NE(progress_line(figures, {}, 0.0).find(" 99.9 %"), std::string::npos);
  figures.done = figures.total;
  EXPECT_NE(progress_line(figures, {}, 0.0).find("100.0 %"), std::string::npos);
}

}  // namespace
}  // namespace weir::environment
