#include "tests/support/transcript.h"

#include <gtest/gtest-spi.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace weir::transcript {
namespace {

// An adder: `add a=1 b=2` comes out as 3, `loud` as nothing.
std::vector<std::string> adder(const Command& command) {
  if (command.name() == "add")
    return {std::to_string(command.number("a") + command.number_or("b", 0))};
  command.word("loud");
  return {};
}

std::string path() { return ::testing::TempDir() + "transcript_test.txt"; }

void write(const std::string& story) { std::ofstream(path(), std::ios::trunc) << story; }

std::string written() {
  std::stringstream out;
  out << std::ifstream(path()).rdbuf();
  return out.str();
}

class Transcript : public ::testing::Test {
 protected:
  void SetUp() override { unsetenv("WEIR_REWRITE"); }
};

void play_it() { play(path(), adder); }

TEST_F(Transcript, AStoryThatIsTruePasses) {
  write("# Sums.\nadd a=1 b=2\nadd a=5\n----\n3\n5\n\nquiet loud\n----\n(nothing)\n");
  play_it();
}

TEST_F(Transcript, AStoryThatIsNotTrueFails) {
  write("add a=1 b=2\n----\n4\n");
  EXPECT_NONFATAL_FAILURE(play_it(), "but this came out");
  write("add a=1 b=2\n");
  EXPECT_NONFATAL_FAILURE(play_it(), "but this came out");
}

TEST_F(Transcript, MisspeltFieldsAndWordsFail) {
  write("add a=1 c=2\n----\n1\n");
  EXPECT_NONFATAL_FAILURE(play_it(), "add does not know c=");
  write("add a=one\n----\n0\n");
  EXPECT_NONFATAL_FAILURE(play_it(), "a is not a number: 'one'");
  write("quiet soft\n----\n(nothing)\n");
  EXPECT_NONFATAL_FAILURE(play_it(), "quiet does not know the word soft");
}

TEST_F(Transcript, AStoryWithoutACommandFails) {
  write("# Nothing but talk.\n");
  EXPECT_NONFATAL_FAILURE(play_it(), "has no command");
}

TEST_F(Transcript, RewritingPutsInWhatCameOutAndKeepsTheRest) {
  write("# Sums.\nadd a=1 b=2\n----\n4\n\n# More.\nadd a=5\n");
  setenv("WEIR_REWRITE", "1", 1);
  play_it();
  unsetenv("WEIR_REWRITE");
  EXPECT_EQ(written(), "# Sums.\nadd a=1 b=2\n----\n3\n\n# More.\nadd a=5\n----\n5\n");
  play_it();
}

TEST(Command, ReadsNamesFieldsWordsAndQuotes) {
  const Command command("tell who=a,b what=\"two words\" loudly");
  EXPECT_EQ(command.name(), "tell");
  EXPECT_EQ(command.list("who"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(command.text("what"), "two words");
  EXPECT_TRUE(command.word("loudly"));
  EXPECT_TRUE(command.complaints().empty());
  EXPECT_EQ(command.text_or("when", "now"), "now");
}

}  // namespace
}  // namespace weir::transcript
