#include "weir/connectors/file/file_enumerator.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/faulty_files.h"
#include "tests/support/memory_files.h"
#include "tests/support/step_env.h"
#include "weir/types/serializer.h"

namespace weir::connectors {
namespace {

using Strings = std::vector<std::string>;

class FileEnumeratorTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    const auto bytes = bytes_of(text);
    disk.poke(path, Bytes(bytes.begin(), bytes.end()));
  }
  Status open(FileEnumerator& enumerator,
              const std::optional<std::vector<Bytes>>& state = std::nullopt) {
    context = {.name = "splits[0]", .env = &world.env(), .post = world.post()};
    return enumerator.open(context, state);
  }
  static Strings all(FileEnumerator& enumerator) {
    Strings found;
    while (const auto bytes = enumerator.next_split({0})) {
      const auto split = *file_split_from(*bytes);
      found.push_back(split.path + " " + std::to_string(split.begin) + "-" +
                      std::to_string(split.end));
    }
    return found;
  }

  test::MemoryFiles disk;
  test::FaultyFiles files{disk};
  test::StepEnv world{files};
  SourceContext context;
};

TEST_F(FileEnumeratorTest, AFileIsCutIntoSplits) {
  put("in", std::string(25, 'x'));
  FileEnumerator enumerator("in", {.split_bytes = 10});
  ASSERT_TRUE(open(enumerator));
  EXPECT_EQ(enumerator.unassigned(), 25u);
  EXPECT_FALSE(enumerator.is_exhausted());
  EXPECT_EQ(all(enumerator), (Strings{"in 0-10", "in 10-20", "in 20-25"}));
  EXPECT_TRUE(enumerator.is_exhausted());
}

TEST_F(FileEnumeratorTest, APathThatIsEmptyIsNamedAsThat) {
  FileEnumerator enumerator("", {});
  const auto opened = open(enumerator);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().to_string(),
            "invalid: reading lines: the path is empty; name a text file, or a directory of them");
}

TEST_F(FileEnumeratorTest, OfADirectoryItTakesThePlainFilesThatAreNotHidden) {
  ASSERT_TRUE(disk.make_directories("in/below"));
  for (const char* name : {"in/b", "in/a", "in/.hidden", "in/_temporary", "in/below/c"})
    put(name, "text\n");
  put("in/empty", "");
  FileEnumerator enumerator("in", {});
  ASSERT_TRUE(open(enumerator));
  EXPECT_EQ(all(enumerator), (Strings{"in/a 0-5", "in/b 0-5"}));
}

TEST_F(FileEnumeratorTest, NothingToReadIsNoError) {
  ASSERT_TRUE(disk.make_directories("in"));
  FileEnumerator directory("in", {});
  ASSERT_TRUE(open(directory));
  EXPECT_TRUE(directory.is_exhausted());
  put("file", "");
  FileEnumerator file("file", {});
  ASSERT_TRUE(open(file));
  EXPECT_TRUE(file.is_exhausted());
}

TEST_F(FileEnumeratorTest, AMissingInputIsAnErrorForGood) {
  FileEnumerator enumerator("nowhere", {});
  const auto opened = open(enumerator);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kInvalid);
  EXPECT_NE(opened.error().what.find("reading input nowhere"), std::string::npos)
      << opened.error().what;
}

TEST_F(FileEnumeratorTest, UnreadableInputSaysWhichFileAndKeepsItsCode) {
  put("in", "text\n");
  for (const auto code : {Code::kRefused, Code::kUnavailable}) {
    for (std::uint64_t k = 1;; ++k) {
      const auto before = files.calls();
      files.fail(before + k, {.code = code});
      FileEnumerator enumerator("in", {});
      const auto opened = open(enumerator);
      if (files.calls() < before + k) break;
      ASSERT_FALSE(opened);
      EXPECT_EQ(opened.error().code, code);
      EXPECT_NE(opened.error().what.find("reading input in"), std::string::npos)
          << opened.error().what;
    }
  }
}

// SR-02: what the listing said is state, also when nothing of it is left to give away.
TEST_F(FileEnumeratorTest, AfterARestoreItDoesNotLookAgain) {
  ASSERT_TRUE(disk.make_directories("in"));
  put("in/a", std::string(20, 'x'));
  FileEnumerator first("in", {.split_bytes = 10});
  ASSERT_TRUE(open(first));
  std::ignore = first.next_split({0});
  const auto one_left = first.snapshot();
  EXPECT_EQ(one_left.size(), 1u);
  std::ignore = first.next_split({0});
  const auto none_left = first.snapshot();
  put("in/b", "more\n");

  FileEnumerator second("in", {.split_bytes = 10});
  ASSERT_TRUE(open(second, one_left));
  EXPECT_EQ(second.snapshot(), one_left) << "SR-03: a checkpoint before anybody asked";
  EXPECT_EQ(all(second), Strings{"in/a 10-20"});
  FileEnumerator third("in", {.split_bytes = 10});
  ASSERT_TRUE(open(third, none_left));
  EXPECT_TRUE(third.is_exhausted());
}

// SR-12
TEST_F(FileEnumeratorTest, TheOrderOfAssignmentDoesNotDependOnTheOrderOfTheList) {
  ASSERT_TRUE(disk.make_directories("in"));
  for (const char* name : {"in/c", "in/a", "in/b"}) put(name, std::string(20, 'x'));
  FileEnumerator first("in", {.split_bytes = 7});
  ASSERT_TRUE(open(first));
  auto state = first.snapshot();
  const auto want = all(first);
  EXPECT_EQ(want.size(), 9u);
  std::sort(state.begin(), state.end());
  do {
    FileEnumerator restored("in", {.split_bytes = 7});
    ASSERT_TRUE(open(restored, state));
    ASSERT_EQ(all(restored), want);
    std::swap(state.front(), state.back());
  } while (std::next_permutation(state.begin() + 1, state.begin() + 6));
}

TEST_F(FileEnumeratorTest, OptionsThatMakeNoSenseAreRefused) {
  put("in", "text\n");
  for (const FileLinesOptions& options :
       {FileLinesOptions{.split_bytes = 0}, FileLinesOptions{.line_bytes_max = 0},
        FileLinesOptions{.chunk_bytes = 0}}) {
    FileEnumerator enumerator("in", options);
    const auto opened = open(enumerator);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::kInvalid);
  }
}

}  // namespace
}  // namespace weir::connectors
