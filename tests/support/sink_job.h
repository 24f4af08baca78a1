#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/faulty_files.h"
#include "tests/support/kept_log.h"
#include "tests/support/memory_files.h"
#include "tests/support/sink_at_rest.h"
#include "tests/support/sink_attempt.h"
#include "weir/connectors/file/sink_directory.h"
#include "weir/connectors/file/text_file_sink.h"

namespace weir::connectors {

using Strings = std::vector<std::string>;
using Lines = std::multiset<std::string>;

// A job that writes the numbers 1 .. last, and nothing else: its sink is the real one, with the real ledger, and everything
// around it is played. A completed checkpoint is what the test remembers.
struct Job {
  JobId job{{1}};
  OperatorId sink = operator_id_of("out");
  std::string directory = "out";
  std::uint64_t last = 12;
  bool has_checkpoints = true;
  bool may_overwrite = false;
  bool may_rewind = false;
  TextFilesOptions files{.buffer_bytes = 4, .buffers_max = 2};

  std::vector<SinkCheckpoint> completed;  // oldest first; the newest is restored
  CheckpointId newest_id{};               // never used again, whatever became of it
  Epoch epoch{1};
  AttemptId attempt{};

  void configure(config::Configuration& options) const {
    std::ignore = options.declare(kRewindOutput.declaration());
    std::ignore = options.declare(kOverwriteOutput.declaration());
    if (may_rewind) std::ignore = options.set(kRewindOutput.key, "true");
    if (may_overwrite) std::ignore = options.set(kOverwriteOutput.key, "true");
  }
  std::shared_ptr<const Sink<std::string>> make_sink() const {
    return std::make_shared<const TextFileSink<std::string>>(directory, files);
  }
};
using Attempt = SinkAttempt<Job>;

// What a reader of the directory sees.
inline Lines visible_lines(test::MemoryFiles& disk, const std::string& directory) {
  Lines lines;
  for (const auto& name : disk.tree(directory)) {
    if (name[0] == '.') continue;
    auto text = std::string(text_of(*disk.peek(directory + "/" + name)));
    EXPECT_TRUE(text.ends_with('\n')) << name << " is torn";
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      lines.insert(text.substr(at, text.find('\n', at) - at));
  }
  return lines;
}

// A directory, and what a reader sees in it.
class SinkTest : public testing::Test {
 protected:
  Status run(Job& job, std::uint32_t parallelism = 2) {
    test::FaultyFiles files(disk);
    return Attempt(job, files, parallelism).run();
  }
  // Opens it and lets it write one, which is visible then.
  static void write_a_line(Attempt& attempt) {
    ASSERT_TRUE(attempt.open());
    ASSERT_TRUE(attempt.write(attempt.next()));
    ASSERT_TRUE(attempt.checkpoint());
  }
  Lines visible(const std::string& directory = "out") { return visible_lines(disk, directory); }
  static Lines numbers(std::uint64_t last) {
    Lines lines;
    for (std::uint64_t n = 1; n <= last; ++n) lines.insert("number " + std::to_string(n));
    return lines;
  }
  Strings hidden(const std::string& directory = "out") {
    Strings names;
    for (const auto& name : disk.tree(directory))
      if (name[0] == '.') names.push_back(name);
    return names;
  }
  void expect_once(const Job& job, const std::string& what) {
    ASSERT_EQ(visible(job.directory), numbers(job.last)) << what;
    EXPECT_EQ(hidden(job.directory), test::kAtRest) << what;
  }
  void put(const std::string& path, std::string_view text) {
    const auto bytes = bytes_of(text);
    disk.poke(path, Bytes(bytes.begin(), bytes.end()));
  }
  static void expect_says(const Status& status, Code code, const Strings& words) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, code) << status.error().what;
    for (const auto& word : words)
      EXPECT_NE(status.error().what.find(word), std::string::npos)
          << status.error().what << "\n  no: " << word;
  }
  static void expect_logged_once(test::KeptLog& log, const std::string& event,
                                 const Strings& words) {
    const auto lines = log.take(event);
    ASSERT_EQ(lines.size(), 1u) << event;
    for (const auto& word : words)
      EXPECT_NE(lines[0].find(word), std::string::npos) << lines[0] << "\n  no: " << word;
  }

  test::MemoryFiles disk;
};

}  // namespace weir::connectors
