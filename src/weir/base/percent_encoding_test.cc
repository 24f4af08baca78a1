#include "weir/base/percent_encoding.h"

#include <set>

namespace weir {
namespace {

TEST(FileNameOf, KeepsWhatIsHarmlessAndEncodesTheRest) {
  EXPECT_EQ(*file_name_of("word-count_2.1"), "word-count_2.1");
  EXPECT_EQ(*file_name_of("sensor averages"), "sensor%20averages");
  EXPECT_EQ(*file_name_of("a/b"), "a%2Fb");
  EXPECT_EQ(*file_name_of("100%"), "100%25");
  EXPECT_EQ(*file_name_of("größe"), "gr%C3%B6%C3%9Fe");
  EXPECT_EQ(*file_name_of(std::string_view("\0\n", 2)), "%00%0A");
}

TEST(FileNameOf, NeverLeavesTheDirectoryNorHides) {
  EXPECT_EQ(*file_name_of("."), "%2E");
  EXPECT_EQ(*file_name_of(".."), "%2E.");
  EXPECT_EQ(*file_name_of(".hidden"), "%2Ehidden");
  EXPECT_EQ(*file_name_of("../../etc"), "%2E.%2F..%2Fetc");
}

TEST(FileNameOf, RefusesAnEmptyNameAndOneTooLong) {
  EXPECT_EQ(file_name_of("").error().code, Code::kInvalid);
  EXPECT_TRUE(file_name_of(std::string(255, 'a')));
  const auto refused = file_name_of(std::string(256, 'a'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
  EXPECT_NE(refused.error().what.find("256 bytes"), std::string::npos) << refused.error().what;
  // What counts is the encoded length.
  EXPECT_TRUE(file_name_of(std::string(85, ' ')));
  EXPECT_FALSE(file_name_of(std::string(86, ' ')));
}

TEST(FileNameOf, DifferentNamesGiveDifferentFileNamesThatDecodeBack) {
  std::set<std::string> seen;
  for (int a = 0; a != 256; ++a) {
    for (const char* tail : {"", ".", "%2E", "x"}) {
      const std::string name = static_cast<char>(a) + std::string(tail);
      const auto encoded = *file_name_of(name);
      EXPECT_TRUE(seen.insert(encoded).second) << encoded;
      EXPECT_EQ(*percent_decode(encoded), name);
      EXPECT_EQ(encoded.find('/'), std::string::npos);
    }
  }
}

TEST(PercentDecode, RefusesAnUnfinishedEscape) {
  for (const char* broken : {"%", "a%", "%4", "%4g", "%g4", "%%41"})
    EXPECT_EQ(percent_decode(broken).error().code, Code::kInvalid) << broken;
  EXPECT_EQ(*percent_decode("%41%6a"), "Aj");
}

}  // namespace
}  // namespace weir
