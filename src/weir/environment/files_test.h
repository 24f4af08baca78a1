#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/sink_at_rest.h"
#include "tests/support/temporary_directory.h"
#include "weir/environment/weir.h"

namespace weir {

using Lines = std::multiset<std::string>;

// Whole jobs from files to files, on the real disk. files_test.cc has the bodies.
class FilesTest : public testing::Test {
 protected:
  FilesTest();

  std::vector<std::string> arguments(std::vector<std::string> more = {}) const;
  // Numbered lines, spread over files; every seventh ends with "\r\n".
  Lines write_input(int files, int lines_per_file) const;
  // One file of input with exactly these bytes.
  void write_input(const std::string& name, std::string_view text) const;
  static std::string content(const std::string& path);
  // What a reader of the directory sees.
  Lines visible(const std::string& out = "out") const;
  std::vector<std::string> hidden(const std::string& out = "out") const;
  std::string in() const { return dir_ + "/in"; }
  std::string out() const { return dir_ + "/out"; }

  const test::TemporaryDirectory directory_;
  const std::string dir_ = directory_.path();
};

// Asks for a checkpoint again and again, until one is complete and `is_enough` says so; on the
// JobMaster's thread. Not called any more once the job has ended.
void trigger_until(Environment::Control control, std::function<bool()> is_enough);
// Suspends the job behind so many completed checkpoints.
void suspend_after(Environment::Control control, int checkpoints);
// The job failed, and says so with each of these words.
void expect_fails(const JobResult& result, const std::vector<std::string>& words);

}  // namespace weir
