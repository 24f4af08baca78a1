#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::transcript {

// One line of a story: `ack checkpoint=1 task=sum:0 at-end`. The first word is the name, words with
// `=` are fields, the others are words. A value with spaces is put in double quotes.
//
//   Errors  a field that is missing or malformed is reported at the line, and the default is
//   returned;
//           so is a field or word that the test never asked for, which catches misspelt ones
class Command {
 public:
  explicit Command(std::string_view line);

  const std::string& name() const { return name_; }
  bool has(std::string_view field) const;
  bool word(std::string_view word) const;             // whether the bare word is there
  std::vector<std::string> words() const;             // all bare words
  std::string text(std::string_view field) const;     // the field must be there
  std::int64_t number(std::string_view field) const;  // likewise
  std::string text_or(std::string_view field, std::string fallback) const;
  std::int64_t number_or(std::string_view field, std::int64_t fallback) const;
  std::vector<std::string> list(std::string_view field) const;  // a,b,c; empty where it is missing

  // What was wrong with the line, or asked for and not there; what was never asked for.
  std::vector<std::string> complaints() const;
  void complain(std::string what) const { complaints_.push_back(std::move(what)); }

 private:
  const std::string* find(std::string_view field) const;

  std::string name_;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::vector<std::string> words_;
  mutable std::set<std::string, std::less<>> asked_;
  mutable std::vector<std::string> complaints_;
};

// Performs one command and says what came out, a line each.
using Perform = std::function<std::vector<std::string>(const Command&)>;

// Plays a story and compares what comes out with what the file says:
//
//   # A comment: what this is about.
//   command field=value
//   another command
//   ----
//   what came out of the two, a line each, or (nothing)
//
// Blocks are separated by empty lines. With WEIR_REWRITE=1 in the environment the expected parts
// are written anew instead; the diff is the review. Differences are reported as gtest failures.
void play(const std::string& path, const Perform& perform);

// The .txt files of a folder, sorted: for INSTANTIATE_TEST_SUITE_P. Names without folder and
// ending.
std::vector<std::string> stories_in(const std::string& folder);

}  // namespace weir::transcript

// Declares a suite with one test per story of the module's testdata/. `make` is called anew for
// every story and returns the Perform that plays it.
#define WEIR_STORIES(Suite, make)                                                              \
  class Suite : public ::testing::TestWithParam<std::string> {};                               \
  TEST_P(Suite, IsWhatItSays) {                                                                \
    ::weir::transcript::play(std::string(WEIR_TESTDATA) + "/" + GetParam() + ".txt", make());  \
  }                                                                                            \
  INSTANTIATE_TEST_SUITE_P(Stories, Suite,                                                     \
                           ::testing::ValuesIn(::weir::transcript::stories_in(WEIR_TESTDATA)), \
                           [](const auto& story) { return story.param; })
