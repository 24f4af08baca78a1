#include "weir/types/readable.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

namespace weir {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };
struct Inner {
  std::string name;
  bool is_on = false;
};
struct Outer {
  std::uint64_t key = 0;
  double value = 0;
  Inner inner;
  std::optional<int> maybe;
  std::vector<std::int8_t> list;
  std::map<std::string, int> map;
  std::pair<int, Text> pair;
  Colour colour = Colour::kGreen;
  std::variant<std::monostate, int> either;
};

template <class T>
std::string readable(const T& value) {
  std::string text = "> ";
  append_readable(text, value);
  return text;
}

TEST(Readable, TextStandsAsItIs) {
  EXPECT_EQ(readable(std::string("a \"b\"\t")), "> a \"b\"\t");
  EXPECT_EQ(readable(Text("word")), "> word");
}

TEST(Readable, NumbersAreShort) {
  EXPECT_EQ(readable(17u), "> 17");
  EXPECT_EQ(readable(std::numeric_limits<std::int64_t>::min()), "> -9223372036854775808");
  EXPECT_EQ(readable(0.1), "> 0.1");
  EXPECT_EQ(readable(true), "> true");
  EXPECT_EQ(readable(std::int8_t{65}), "> 65");
}

TEST(Readable, RecordsNameTheirFields) {
  const Outer outer{.key = 1,
                    .value = 2.5,
                    .inner = Inner{"n\"x", true},
                    .maybe = 3,
                    .list = {1, -2},
                    .map = {{"a", 1}, {"b", 2}},
                    .pair = {7, Text("t")},
                    .colour = Colour::kGreen,
                    .either = 4};
  EXPECT_EQ(
      readable(outer),
      "> {key: 1, value: 2.5, inner: {name: \"n\\\"x\", is_on: true}, maybe: 3, list: [1, -2], "
      "map: {\"a\": 1, \"b\": 2}, pair: (7, \"t\"), colour: 1, either: 4}");
}

TEST(Readable, NothingIsNullAndEmptyIsEmpty) {
  EXPECT_EQ(readable(Outer{}),
            "> {key: 0, value: 0, inner: {name: \"\", is_on: false}, maybe: null, list: [], map: "
            "{}, pair: (0, \"\"), "
            "colour: 1, either: null}");
}

TEST(Readable, ControlCharactersWithinARecordAreEscaped) {
  EXPECT_EQ(readable(Inner{std::string("\x01\n\r\t\\", 5), false}),
            "> {name: \"\\u0001\\n\\r\\t\\\\\", is_on: false}");
}

}  // namespace
}  // namespace weir
