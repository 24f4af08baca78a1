#include "weir/env/posix/stderr_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace weir::env {
namespace {

struct FixedClock final : Clock {
  Instant now() const override { return {}; }
  WallTime wall() const override { return {1'700'000'000'007}; }
};

std::string drain(int fd) {
  std::string text(4096, '\0');
  const ssize_t got = read(fd, text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

TEST(StderrLog, WritesTimeLevelAndLine) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const FixedClock clock;
  StderrLog sink(clock, log::Level::kInfo, ends[1]);
  sink.write(log::Level::kWarning, "CheckpointDeclined checkpoint=17");
  EXPECT_EQ(drain(ends[0]), "2023-11-14T22:13:20.007Z WARNING CheckpointDeclined checkpoint=17\n");
  close(ends[0]);
  close(ends[1]);
}

TEST(StderrLog, WantsWhatItsLevelSays) {
  const FixedClock clock;
  StderrLog sink(clock);
  EXPECT_FALSE(sink.wants(log::Level::kDebug));
  EXPECT_TRUE(sink.wants(log::Level::kInfo));
  sink.set_level(log::Level::kError);
  EXPECT_FALSE(sink.wants(log::Level::kWarning));
  EXPECT_TRUE(sink.wants(log::Level::kError));
}

}  // namespace
}  // namespace weir::env
