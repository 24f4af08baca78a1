#pragma once

#include <gtest/gtest.h>

#include <set>

#include "tests/support/sim_engine.h"
#include "weir/connectors/file/file_source.h"
#include "weir/connectors/file/text_file_sink.h"
#include "weir/datastream/keyed_stream.h"
#include "weir/types/text.h"

// A job that copies lines, and a simulated machine for it.
namespace weir::scenarios {

using Lines = std::multiset<std::string>;
using JobEnd = jobmaster::JobEnd;
using test::SimEngine;

inline constexpr int kLines = 2'000;

inline Lines all_lines() {
  Lines lines;
  for (int i = 0; i != kLines; ++i) lines.insert("line " + std::to_string(i));
  return lines;
}

// What a reader of the output directory sees.
inline Lines visible(const sim::SimDisk& disk) {
  Lines lines;
  for (const auto& path : disk.paths()) {
    if (!path.starts_with("out/") || path.starts_with("out/.")) continue;
    const auto text = *disk.content(path);
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      lines.insert(text.substr(at, end - at));
      at = end == std::string::npos ? end : end + 1;
    }
  }
  return lines;
}

// From the file `in` to text files in `out`, in one Subtask behind the enumerator, at a pace at
// which the job takes most of a second.
inline operators::Program copy_job() {
  datastream::ProgramBuilder builder;
  const connectors::FileLinesOptions options{
      .split_bytes = 4'000, .chunk_bytes = 512, .max_bytes_per_second = 30'000};
  datastream::add_source<Text>(
      builder, std::make_shared<const connectors::FileLineSource>("in", options), "lines")
      .sink_to(std::make_shared<const connectors::TextFileSink<Text>>(
          "out", connectors::TextFilesOptions{.buffer_bytes = 200}));
  return builder.build("copy", graph::Chaining::kOn);
}

inline cluster::EngineOptions options_of(std::uint32_t tolerable_failures = 0) {
  cluster::EngineOptions options{.job_name = "copy"};
  options.checkpoints.interval = Duration::millis(20);
  options.checkpoints.tolerable_failures = tolerable_failures;
  options.restart_strategy = failover::FixedDelayRestart{.delay = Duration::millis(10)};
  options.limits.batch_records = 16;
  options.watchdog.aborts = true;
  return options;
}

inline cluster::EngineOptions without_restarts() {
  auto options = options_of();
  options.restart_strategy = failover::NoRestart{};
  return options;
}

// A machine with the input on its disk. Everything is waited for with a deadline: what hangs fails.
struct Machine {
  explicit Machine(sim::SimOptions options = {}) : world(7, options) {
    std::string text;
    for (int i = 0; i != kLines; ++i) text += "line " + std::to_string(i) + "\n";
    world.disk().put("in", text);
  }

  void wait(const std::function<bool()>& condition) {
    const auto ran = world.run(condition, world.now() + Duration::seconds(60));
    EXPECT_EQ(ran.why, sim::RunResult::Why::kCondition) << "what was waited for did not come";
  }
  void wait_for(SimEngine& engine, const std::string& metric, std::uint64_t value) {
    auto& actual = engine.metrics().metric(metric);
    wait([&] { return actual.value() >= value || engine.end(); });
    EXPECT_GE(actual.value(), value) << metric;
  }
  JobEnd wait_for_end(SimEngine& engine) {
    wait([&] { return engine.end().has_value(); });
    return engine.end().value_or(JobEnd{JobEnd::Kind::kStopped, std::nullopt});
  }
  // Runs the job behind so many checkpoints.
  void suspend_behind(std::uint64_t checkpoints, const cluster::EngineOptions& options) {
    SimEngine engine(world);
    ASSERT_TRUE(engine.start(options, copy_job()));
    wait_for(engine, "checkpoint.completed", checkpoints);
    engine.engine().job_master().suspend();
    EXPECT_EQ(wait_for_end(engine).kind, JobEnd::Kind::kSuspended);
  }
  // Another process resumes the job, and everything is visible once.
  void expect_finishes(const cluster::EngineOptions& options = options_of()) {
    SimEngine engine(world);
    const auto started = engine.start(options, copy_job());
    ASSERT_TRUE(started) << started.error().to_string();
    const auto end = wait_for_end(engine);
    EXPECT_EQ(end.kind, JobEnd::Kind::kFinished) << (end.error ? end.error->to_string() : "");
    EXPECT_EQ(visible(world.disk()), all_lines());
  }
  // While it is full, nothing can be created or appended under that path.
  void fill(const std::string& path) {
    world.disk().before_each_call([path](const sim::IoCall& call) -> Status {
      const bool needs_room =
          call.kind == sim::IoKind::kCreate || call.kind == sim::IoKind::kAppend;
      if (!needs_room || !call.path.starts_with(path)) return ok();
      return Error{Code::kExhausted, "writing " + call.path + ": No space left on device"};
    });
  }
  void make_room() { world.disk().before_each_call({}); }

  sim::World world;
};

inline void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const auto& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << "\nin: " << text;
}
inline void expect_words(const JobEnd& end, const std::vector<std::string>& words) {
  ASSERT_TRUE(end.error);
  expect_words(end.error->to_string(), words);
}

}  // namespace weir::scenarios
