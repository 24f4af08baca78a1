#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weir/types/serializer.h"

// Bytes made to hurt. Each must be an error that says what is wrong, at the cost of few bytes of
// memory.

namespace weir {
namespace {

struct Node {
  std::vector<Node> children;
};
struct Chain {
  int n;
  std::vector<Chain> next;  // none or one
};
struct Big {
  std::array<std::int64_t, 1000> numbers;
  std::optional<std::array<std::int64_t, 1000>> more;
};

Bytes bytes_from(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const auto value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}
template <class T>
std::string complaint(const Bytes& bytes) {
  const auto read = deserialize<T>(bytes);
  if (read) return "no complaint";
  EXPECT_EQ(read.error().code, Code::kCorrupt);
  const auto& what = read.error().what;
  return what.substr(what.find(": ") == std::string::npos ? 0 : what.rfind(": ") + 2);
}

TEST(HostileBytes, ValuesThatNoTypeHas) {
  EXPECT_EQ(complaint<bool>(bytes_from({2})), "a flag is neither 0 nor 1, at byte 0 of 1");
  EXPECT_EQ(complaint<std::vector<bool>>(bytes_from({2, 1, 255})),
            "a flag is neither 0 nor 1, at byte 2 of 3");
  EXPECT_EQ(complaint<std::optional<int>>(bytes_from({2, 0, 0, 0, 0})),
            "a flag is neither 0 nor 1, at byte 0 of 5");
  EXPECT_EQ(complaint<Node>(bytes_from({1, 0})),
            "a record has a layout version that is not known, at byte 1 of 2");
  EXPECT_EQ((complaint<std::variant<std::monostate, int>>(bytes_from({2}))),
            "a variant has no alternative of this index, at byte 1 of 1");
  EXPECT_EQ((complaint<std::map<bool, bool>>(bytes_from({2, 1, 0, 1, 0}))),
            "a key of a map comes twice, at byte 4 of 5");
  EXPECT_EQ(
      (complaint<std::unordered_map<int, std::tuple<>>>(bytes_from({2, 1, 0, 0, 0, 1, 0, 0, 0}))),
      "a key of a map comes twice, at byte 9 of 9");
}

TEST(HostileBytes, ALengthInMoreBytesThanItNeeds) {
  EXPECT_EQ(
      complaint<std::string>(bytes_from({0x80, 0})),
      "a length or count is no LEB128 number of 64 bits in its shortest form, at byte 2 of 2");
  EXPECT_EQ(complaint<std::string>(bytes_from({0x81, 0, 'a'})).substr(0, 17), "a length or count");
}

TEST(HostileBytes, HugeLengths) {
  const auto huge = bytes_from({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 'a'});
  EXPECT_EQ(complaint<std::string>(huge), "the bytes end too early, at byte 10 of 11");
  EXPECT_EQ(complaint<Text>(huge), "a text is longer than 4 GiB, at byte 10 of 11");
  const std::string count = "a count is larger than the bytes or the limit allow, at byte 10 of 11";
  EXPECT_EQ(complaint<std::vector<std::int8_t>>(huge), count);
  EXPECT_EQ(complaint<std::vector<std::string>>(huge), count);
  EXPECT_EQ(complaint<std::vector<bool>>(huge), count);
  EXPECT_EQ((complaint<std::vector<std::array<int, 0>>>(huge)), count);
  EXPECT_EQ((complaint<std::map<std::string, Node>>(huge)), count);
}

TEST(HostileBytes, ACountThatJustFitsTheBytesReservesNoMoreThanTheLimit) {
  // Each of the 50000 elements could be one byte, an absent value, but the first is none.
  using Element = std::optional<std::array<std::int64_t, 1000>>;
  Bytes bytes;
  ByteWriter writer(bytes);
  writer.leb128(50'000);
  bytes.resize(60'000, std::byte{7});
  std::vector<Element> out;
  EXPECT_FALSE(deserialize_into(bytes, out));
  EXPECT_LE(out.capacity() * sizeof(Element), kEagerReserveBytes);
}

TEST(HostileBytes, ElementsOfNoBytesAreLimitedByName) {
  using Empties = std::vector<std::tuple<>>;
  Bytes bytes;
  ByteWriter(bytes).leb128(kMaxEmptyElements);
  EXPECT_EQ(deserialize<Empties>(bytes)->size(), kMaxEmptyElements);
  bytes.clear();
  ByteWriter(bytes).leb128(kMaxEmptyElements + 1);
  EXPECT_FALSE(deserialize<Empties>(bytes));
  // Nor can a value be written that could not be read again.
  EXPECT_EQ(serialize(Empties(kMaxEmptyElements)).size(), 2u);
  EXPECT_THROW(serialize(Empties(kMaxEmptyElements + 1)), std::length_error);
}

TEST(HostileBytes, NestingIsLimitedByName) {
  const auto nested = [](std::size_t levels) {
    Bytes bytes;
    for (std::size_t i = 1; i != levels; ++i) {
      bytes.push_back(std::byte{0});
      bytes.push_back(std::byte{1});
    }
    bytes.resize(bytes.size() + 2);
    return bytes;
  };
  EXPECT_TRUE(deserialize<Node>(nested(kMaxNesting)));
  EXPECT_EQ(complaint<Node>(nested(kMaxNesting + 1)),
            "values are nested too deeply, at byte 129 of 130");
  EXPECT_FALSE(deserialize<Node>(nested(5'000'000)));
}

TEST(HostileBytes, AValueNestedTooDeeplyIsRefusedAtWriting) {
  Node node;
  for (unsigned i = 1; i != kMaxNesting; ++i) {
    Node outer;
    outer.children.push_back(std::move(node));
    node = std::move(outer);
  }
  EXPECT_TRUE(deserialize<Node>(serialize(node)));
  const Node one_more{{node}};
  EXPECT_THROW(serialize(one_more), std::length_error);
}

TEST(HostileBytes, DepthIsCountedPerValueNotPerReader) {
  std::vector<Node> many(1000);
  EXPECT_EQ(deserialize<std::vector<Node>>(serialize(many))->size(), 1000u);
}

TEST(HostileBytes, AFailedReaderStaysFailed) {
  const auto bytes = bytes_from({2, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  ByteReader reader(bytes);
  bool flag = false;
  EXPECT_FALSE(Serializer<bool>::read(reader, flag));
  std::vector<std::string> list;
  std::tuple<> nothing;
  EXPECT_FALSE(Serializer<bool>::read(reader, flag));
  EXPECT_FALSE(Serializer<std::vector<std::string>>::read(reader, list));
  EXPECT_FALSE((Serializer<std::variant<int, bool>>::read(
      reader, *std::make_unique<std::variant<int, bool>>())));
  EXPECT_FALSE(reader.ok());
  static_cast<void>(nothing);
}

}  // namespace
}  // namespace weir
