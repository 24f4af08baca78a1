#include "weir/operators/process/table_of.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace weir::operators {
namespace {

struct Counters {
  std::uint64_t count = 1;
  double mean = 2.5;
  std::int32_t low = -3;
  std::uint32_t high = 4;
};
struct Padded {
  std::uint8_t kind = 1;
  std::uint64_t count = 2;
};
struct Nested {
  Counters counters;
};
struct WithBool {
  bool is_open = true;
};
struct WithText {
  std::string name;
};

// What a backend copies in place of calling write() must be what write() would have written.
template <class V>
void expect_plain(const V& value, std::size_t header_bytes) {
  const auto type = value_type_of<V>();
  ASSERT_TRUE(type.is_plain_bytes);
  ASSERT_EQ(type.plain_header.has_value(), header_bytes == 1);
  Bytes plain;
  if (type.plain_header) plain.push_back(*type.plain_header);
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  plain.insert(plain.end(), bytes, bytes + sizeof(V));
  EXPECT_EQ(plain, serialize(value));
}

TEST(ValueTypeOf, TypesThatLieAsTheyAreWrittenAreCopied) {
  expect_plain(std::uint64_t{7}, 0);
  expect_plain(-1.5, 0);
  expect_plain(std::array<std::uint64_t, 7>{1, 2, 3}, 0);
  expect_plain(Counters{}, 1);
}

TEST(ValueTypeOf, TypesWithPaddingOrHeadersInsideOrChecksAreWritten) {
  EXPECT_FALSE(value_type_of<Padded>().is_plain_bytes);
  EXPECT_FALSE(value_type_of<Nested>().is_plain_bytes);
  EXPECT_FALSE(value_type_of<WithBool>().is_plain_bytes);
  EXPECT_FALSE(value_type_of<WithText>().is_plain_bytes);
  EXPECT_FALSE(value_type_of<bool>().is_plain_bytes);
}

}  // namespace
}  // namespace weir::operators
