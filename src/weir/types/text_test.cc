#include "weir/types/text.h"

#include <string>
#include <type_traits>
#include <unordered_map>

#include <gtest/gtest.h>

namespace weir {
namespace {

static_assert(std::is_trivially_copyable_v<Text>);
static_assert(sizeof(Text) == 16);
static_assert(!std::is_convertible_v<std::string_view, Text>, "whoever makes a view says so");

TEST(Text, IsTheBytesOfSomebodyElse) {
  std::string owner = "abc";
  const Text text{owner};
  EXPECT_EQ(text.data(), owner.data());
  const std::string copy = text.str();
  owner[0] = 'x';
  EXPECT_EQ(text, "xbc");
  EXPECT_EQ(copy, "abc");
}

TEST(Text, ComparesBytesNotPointers) {
  const std::string a = "same", b = "same";
  EXPECT_EQ(Text(a), Text(b));
  EXPECT_LT(Text("ab"), Text("abc"));
  EXPECT_LT(Text("\x7f"), Text("\x80"));
  EXPECT_NE(Text(std::string_view("a\0b", 3)), Text(std::string_view("a\0c", 3)));
  EXPECT_LT(Text("a"), "b");
}

TEST(Text, IsEmptyByDefault) {
  EXPECT_EQ(Text(), "");
  EXPECT_EQ(Text().str(), "");
  EXPECT_TRUE(Text().empty());
}

TEST(Text, IsFoundInAHashTable) {
  const std::string a = "word", b = "word";
  std::unordered_map<Text, int> counts;
  ++counts[Text(a)];
  ++counts[Text(b)];
  EXPECT_EQ(counts.at(Text("word")), 2);
}

}  // namespace
}  // namespace weir
