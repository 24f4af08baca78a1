#include "examples/word_count/word_count.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace examples {
namespace {

class WordCountTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "words-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  int run(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"--checkpoint-dir",
                                          dir_ + "/checkpoints",
                                          "--parallelism",
                                          "2",
                                          "--checkpoint-interval",
                                          "10 ms",
                                          "-Dweir.watchdog-aborts=true"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    weir::Environment env(arguments);
    word_count(env, {.input = dir_ + "/in", .output = dir_ + "/out"});
    return env.execute("word_count");
  }

  std::map<std::string, int> output_lines() const {
    std::map<std::string, int> lines;
    for (const auto& file : std::filesystem::directory_iterator(dir_ + "/out")) {
      if (file.path().filename().string().starts_with(".")) continue;
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) ++lines[line];
    }
    return lines;
  }

  std::string dir_;
};

// By hand: three lines, counted with a pencil.
TEST_F(WordCountTest, FoldsCaseAndPartsWordsAtEverythingElse) {
  std::filesystem::create_directory(dir_ + "/in");
  std::ofstream(dir_ + "/in/a.txt") << "The barrier, the cut.\nTHE-END; caf\xc3\xa9 x1y\r\n";
  std::ofstream(dir_ + "/in/b.txt") << "no newline at the end";
  ASSERT_EQ(run(), 0);
  const std::map<std::string, int> want = {
      {"the 4", 1}, {"barrier 1", 1}, {"cut 1", 1}, {"end 2", 1}, {"caf 1", 1},
      {"x 1", 1},   {"y 1", 1},       {"no 1", 1},  {"at 1", 1},  {"newline 1", 1}};
  EXPECT_EQ(output_lines(), want);
}

TEST_F(WordCountTest, TellsOfEveryThousandthAndOfTheLastOnce) {
  std::filesystem::create_directory(dir_ + "/in");
  std::ofstream file(dir_ + "/in/a.txt");
  for (int i = 0; i != 2500; ++i) file << "drop ";
  file << "\n";
  for (int i = 0; i != 2000; ++i) file << "sea\n";
  file.close();
  ASSERT_EQ(run(), 0);
  const std::map<std::string, int> want = {
      {"drop 1000", 1}, {"drop 2000", 1}, {"drop 2500", 1}, {"sea 1000", 1}, {"sea 2000", 1}};
  EXPECT_EQ(output_lines(), want);
}

}  // namespace
}  // namespace examples
