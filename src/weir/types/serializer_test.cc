#include "weir/types/serializer.h"

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weir/base/time.h"

namespace weir {
namespace {

std::string hex(ByteView bytes) {
  std::string text;
  for (const auto byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned>(byte) >> 4];
    text += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}
template <class T>
std::string hex_of(const T& value) {
  const auto bytes = serialize(value);
  EXPECT_EQ(bytes.size(), serialized_size(value));
  EXPECT_GE(bytes.size(), kMinSize<T>);
  return hex(bytes);
}

enum class Colour : std::uint16_t { kRed = 0x0102 };
enum class Switch : bool { kOff, kOn };

struct Reading {
  std::string sensor;
  double value;
  friend bool operator==(const Reading&, const Reading&) = default;
};
struct Report {
  std::int32_t id;
  std::optional<Reading> first;
  std::vector<Reading> all;
  friend bool operator==(const Report&, const Report&) = default;
};
struct Nothing {};
struct Node {
  std::vector<Node> children;
};
struct Words {
  std::vector<std::pair<int, Text>> words;
};
struct Linked {
  int n;
  std::vector<Linked> next;
  std::optional<Text> text;
};
class Account {
 public:
  Account() = default;
  Account(int id_of, std::string owner_of) : id(id_of), owner(std::move(owner_of)) {}
  std::int32_t id = 0;
  std::string owner;
};
WEIR_FIELDS(Account, id, owner)

// The bytes below are written by hand from docs/formats/records.md.

TEST(SerializerBytes, NumbersAreLittleEndianAndAsWideAsTheyAre) {
  EXPECT_EQ(hex_of(std::int32_t{0x01020304}), "04030201");
  EXPECT_EQ(hex_of(std::int8_t{-2}), "fe");
  EXPECT_EQ(hex_of(std::uint16_t{0xabcd}), "cdab");
  EXPECT_EQ(hex_of(std::int64_t{-1}), "ffffffffffffffff");
  EXPECT_EQ(hex_of(1.0), "000000000000f03f");
  EXPECT_EQ(hex_of(-0.0), "0000000000000080");
  EXPECT_EQ(hex_of(1.5F), "0000c03f");
}

TEST(SerializerBytes, BoolsAreOneByteAndEnumsTheirUnderlyingType) {
  EXPECT_EQ(hex_of(true), "01");
  EXPECT_EQ(hex_of(false), "00");
  EXPECT_EQ(hex_of(Colour::kRed), "0201");
  EXPECT_EQ(hex_of(Switch::kOn), "01");
}

TEST(SerializerBytes, TextsHaveTheirLengthInFront) {
  EXPECT_EQ(hex_of(std::string()), "00");
  EXPECT_EQ(hex_of(std::string("abc")), "03616263");
  EXPECT_EQ(hex_of(Text("abc")), "03616263");
  EXPECT_EQ(hex_of(std::string(300, 'a')).substr(0, 8), "ac026161");
}

TEST(SerializerBytes, AnOptionalIsOneByteThenTheValue) {
  EXPECT_EQ(hex_of(std::optional<std::int16_t>()), "00");
  EXPECT_EQ(hex_of(std::optional<std::int16_t>(5)), "010500");
}

TEST(SerializerBytes, PairsTuplesAndArraysAreTheirPartsOnly) {
  EXPECT_EQ(hex_of(std::pair<std::int8_t, std::string>(1, "b")), "010162");
  EXPECT_EQ(hex_of(std::tuple<>()), "");
  EXPECT_EQ(hex_of(std::tuple<bool, std::int16_t, Nothing>(true, 2, {})), "01020000");
  EXPECT_EQ(hex_of(std::array<std::int16_t, 3>{1, 2, 3}), "010002000300");
  EXPECT_EQ(hex_of(std::array<std::string, 2>{"a", ""}), "016100");
}

TEST(SerializerBytes, ListsAndMapsHaveACountInFront) {
  EXPECT_EQ(hex_of(std::vector<std::int32_t>{}), "00");
  EXPECT_EQ(hex_of(std::vector<std::int32_t>{1, 2}), "020100000002000000");
  EXPECT_EQ(hex_of(std::vector<bool>{true, false}), "020100");
  EXPECT_EQ(hex_of(std::vector<std::string>{"a", "b"}), "0201610162");
  EXPECT_EQ(hex_of(std::map<std::string, bool>{{"b", true}, {"a", false}}), "02016100016201");
  EXPECT_EQ(hex_of(std::unordered_map<std::int8_t, std::int8_t>{{1, 2}}), "010102");
}

TEST(SerializerBytes, AVariantIsAnIndexThenTheAlternative) {
  using Value = std::variant<std::monostate, std::int16_t, std::string>;
  EXPECT_EQ(hex_of(Value()), "00");
  EXPECT_EQ(hex_of(Value(std::int16_t{3})), "010300");
  EXPECT_EQ(hex_of(Value("c")), "020163");
}

TEST(SerializerBytes, ARecordIsAHeaderByteThenItsFields) {
  EXPECT_EQ(hex_of(Nothing{}), "00");
  EXPECT_EQ(hex_of(Reading{"s", 1.0}), "000173000000000000f03f");
  EXPECT_EQ(hex_of(EventTime{2}), "000200000000000000");
  EXPECT_EQ(hex_of(Account(7, "x")), "00070000000178");
  EXPECT_EQ(hex_of(Report{9, Reading{"", 0.0}, {Reading{"q", 0.0}}}),
            "00"        // Report
            "09000000"  // id
            "01"
            "00"
            "00"
            "0000000000000000"  // first: present, header, "", 0.0
            "01"
            "00"
            "0171"
            "0000000000000000");  // all: one, header, "q", 0.0
  EXPECT_EQ(hex_of(Node{{Node{}, Node{{Node{}}}}}),
            "00020000"
            "00010000");
}

TEST(SerializerBytes, AValueIsAppendedToWhatIsThere) {
  Bytes bytes = serialize(std::uint8_t{0xaa});
  serialize_into(bytes, Reading{"s", 1.0});
  ByteWriter writer(bytes);
  Serializer<std::pair<bool, bool>>::write(writer, {true, true});
  EXPECT_EQ(hex(bytes), "aa000173000000000000f03f0101");
}

TEST(SerializerTraits, FixedAndSmallestSizesAreKnownToTheCompiler) {
  struct Fixed {
    std::int64_t a;
    std::array<bool, 3> b;
    std::pair<float, Nothing> c;
  };
  static_assert(kFixedSize<Fixed> == 1 + 8 + 3 + 4 + 1);
  static_assert(kMinSize<Fixed> == 17);
  static_assert(kFixedSize<Nothing> == 1);
  static_assert(kFixedSize<std::tuple<>> == 0);
  static_assert(!kFixedSize<Reading> && kMinSize<Reading> == 1 + 1 + 8);
  static_assert(!kFixedSize<std::optional<int>> && kMinSize<std::optional<int>> == 1);
  static_assert(!kFixedSize<Node> && kMinSize<Node> == 2);
  EXPECT_EQ(hex_of(Fixed{}), std::string(34, '0'));
}

TEST(SerializerTraits, MemoryIsLayoutWhereEveryBitPatternIsAValueWithoutPadding) {
  static_assert(kMemoryIsLayout<int> && kMemoryIsLayout<double> && kMemoryIsLayout<Colour>);
  static_assert(kMemoryIsLayout<std::array<std::int16_t, 3>>);
  static_assert(!kMemoryIsLayout<bool> && !kMemoryIsLayout<Switch>);
  static_assert(!kMemoryIsLayout<Nothing> && !kMemoryIsLayout<std::string>);
}

TEST(SerializerTraits, TextIsFoundAtAnyDepth) {
  static_assert(kHasText<Text> && kHasText<Words> && kHasText<Linked>);
  static_assert(kHasText<std::variant<int, std::map<int, std::array<Text, 2>>>>);
  static_assert(!kHasText<Reading> && !kHasText<Node> && !kHasText<std::string>);
}

struct WithPointer {
  int n;
  const char* name;
};
struct WithArray {
  char name[16];
};
struct WithArrayOfOne {
  char name[1];
};
struct WithReference {
  int& n;
};
struct WithConst {
  const int n = 1;
};
struct Deriving : Reading {};

TEST(SerializerTraits, WhatCannotBeSerialisedIsKnownBefore) {
  static_assert(Serializable<Report> && Serializable<Node> && Serializable<Account>);
  static_assert(Serializable<std::vector<std::map<std::string, std::variant<int, Linked>>>>);
  static_assert(!Serializable<int*> && !Serializable<const char*> && !Serializable<int&>);
  static_assert(!Serializable<int[3]> && !Serializable<long double> && !Serializable<const int>);
  static_assert(!Serializable<WithPointer> && !Serializable<std::vector<WithPointer>>);
  static_assert(!Serializable<WithArray> && !Serializable<WithArrayOfOne>);
  static_assert(!Serializable<WithReference> && !Serializable<WithConst>);
  static_assert(!Serializable<Deriving> && !Serializable<std::unique_ptr<int>>);
}

TEST(Serializer, ReadingKeepsTheCapacityOfWhatItAssignsTo) {
  Report report{1, Reading{std::string(1000, 'a'), 0}, {}};
  report.all.resize(5, Reading{std::string(500, 'b'), 0});
  const auto* first = report.first->sensor.data();
  const auto* all = report.all.data();
  const auto* text = report.all[0].sensor.data();
  const Report other{2, Reading{"short", 1}, {Reading{"x", 2}, Reading{"y", 3}}};
  ASSERT_TRUE(deserialize_into(serialize(other), report));
  EXPECT_EQ(report, other);
  EXPECT_EQ(report.first->sensor.data(), first);
  EXPECT_EQ(report.all.data(), all);
  EXPECT_EQ(report.all[0].sensor.data(), text);
}

TEST(Serializer, ATextThatWasReadPointsIntoTheBytes) {
  const auto bytes = serialize(std::pair<std::string, Text>("a", Text("word")));
  const auto value = deserialize<std::pair<Text, Text>>(bytes);
  EXPECT_EQ(value->second, "word");
  EXPECT_EQ(bytes_of(value->second.view()).data(), bytes.data() + 3);
}

TEST(Serializer, MapsOfAnyOrderAreReadIntoMapsOfAnother) {
  using Ordered = std::map<std::string, int>;
  using Hashed = std::unordered_map<std::string, int>;
  Hashed hashed;
  for (int i = 0; i != 100; ++i) hashed[std::to_string(i)] = i;
  const auto ordered = deserialize<Ordered>(serialize(hashed));
  EXPECT_EQ(*ordered, Ordered(hashed.begin(), hashed.end()));
  EXPECT_EQ(*deserialize<Hashed>(serialize(*ordered)), hashed);
}

}  // namespace
}  // namespace weir
