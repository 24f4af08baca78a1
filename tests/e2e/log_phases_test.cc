#include "tests/e2e/log_phases.h"

#include <gtest/gtest.h>

#include <vector>

namespace e2e {
namespace {

constexpr std::string_view kStamp = "2026-02-03T04:05:06.789Z INFO ";

std::optional<LogPhase> tell(LogPhases& phases, std::string_view rest) {
  return phases.line(std::string(kStamp) + std::string(rest));
}

TEST(LogLine, HasAnEventAndFields) {
  const auto line =
      std::string(kStamp) + "CutTaken task=\"count -> out[0]\" checkpoint=17 phase=upload";
  EXPECT_EQ(event_of(line), "CutTaken");
  EXPECT_EQ(field_of(line, "task"), "count -> out[0]");
  EXPECT_EQ(field_of(line, "checkpoint"), "17");
  EXPECT_EQ(field_of(line, "phase"), "upload");
  EXPECT_EQ(field_of(line, "bytes"), std::nullopt);
  EXPECT_EQ(event_of("torn"), "");
}

// The one phase that it is in; several where they overlap.
std::vector<LogPhase> now(const LogPhases& phases) {
  std::vector<LogPhase> now;
  for (const auto phase : kLogPhases)
    if (phases.is_in(phase)) now.push_back(phase);
  return now;
}

using Phases = std::vector<LogPhase>;

TEST(LogPhases, FollowACheckpointFromItsTriggerToItsLastCommit) {
  LogPhases phases({.tasks = 2, .sinks = 2});
  EXPECT_EQ(now(phases), Phases{LogPhase::kStarting});
  EXPECT_EQ(tell(phases, "Deploying attempt=1 phase=restore checkpoint=6"), LogPhase::kRestore);
  EXPECT_EQ(now(phases), Phases{LogPhase::kRestore});
  EXPECT_EQ(tell(phases, "Running attempt=1"), std::nullopt);
  EXPECT_EQ(now(phases), Phases{LogPhase::kBetween});
  EXPECT_EQ(tell(phases, "CheckpointTriggered checkpoint=7 phase=cut"), LogPhase::kCut);
  EXPECT_EQ(tell(phases, "CutTaken task=a[0] checkpoint=7 phase=upload"), LogPhase::kUpload);
  EXPECT_EQ(now(phases), Phases{LogPhase::kCut});  // One task has not cut yet.
  EXPECT_EQ(tell(phases, "CutTaken task=b[0] checkpoint=7 phase=upload"), std::nullopt);
  EXPECT_EQ(now(phases), Phases{LogPhase::kUpload});
  EXPECT_EQ(tell(phases, "CheckpointPublishing checkpoint=7 phase=publish"), LogPhase::kPublish);
  EXPECT_EQ(now(phases), Phases{LogPhase::kPublish});
  EXPECT_EQ(tell(phases, "CheckpointComplete checkpoint=7 bytes=1 ms=2 phase=commit"),
            LogPhase::kCommit);
  tell(phases, "Committed sink=\"out[1]\" checkpoint=7");
  EXPECT_EQ(now(phases), Phases{LogPhase::kCommit});
  tell(phases, "Committed sink=\"out[0]\" checkpoint=7");
  EXPECT_EQ(now(phases), Phases{LogPhase::kBetween});
}

TEST(LogPhases, ACommitGoesOnWhileTheNextCheckpointBegins) {
  LogPhases phases({.tasks = 2, .sinks = 1});
  tell(phases, "CheckpointComplete checkpoint=7 bytes=1 ms=2 phase=commit");
  tell(phases, "CheckpointTriggered checkpoint=8 phase=cut");
  EXPECT_EQ(now(phases), (Phases{LogPhase::kCut, LogPhase::kCommit}));
  tell(phases, "Committed sink=\"out[0]\" checkpoint=7");
  EXPECT_EQ(now(phases), Phases{LogPhase::kCut});
}

TEST(LogPhases, AnAbortedCheckpointEndsItsPhase) {
  LogPhases phases({.tasks = 2, .sinks = 2});
  tell(phases, "CheckpointTriggered checkpoint=7 phase=cut");
  tell(phases, "CheckpointAborted checkpoint=7 reason=timeout");
  EXPECT_EQ(now(phases), Phases{LogPhase::kBetween});
}

}  // namespace
}  // namespace e2e
