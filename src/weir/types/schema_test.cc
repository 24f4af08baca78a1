#include "weir/types/schema.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weir/base/random.h"
#include "weir/types/serializer.h"

namespace weir {
namespace {

enum class Colour : std::int32_t { kRed };
struct Time {
  std::int64_t ms;
};
struct Reading {
  std::string sensor;
  double value;
  Time at;
};
struct Tree {
  std::string label;
  std::vector<Tree> children;
};
struct Expression {
  struct Sum {
    std::vector<Expression> terms;
  };
  std::variant<double, Sum> is;
};
struct Everything {
  bool b;
  std::uint16_t u;
  float f;
  Colour colour;
  Text text;
  std::optional<Time> maybe;
  std::array<std::int8_t, 4> four;
  std::map<std::string, std::vector<std::uint32_t>> map;
  std::tuple<char, long, unsigned long long> tuple;
  std::variant<std::monostate, Tree> variant;
};

namespace moved {
struct Reading {
  std::string sensor;
  float value;
  Time at;
};
}  // namespace moved

template <class T>
std::string text_of_schema() {
  return schema_of<T>().to_string();
}

TEST(Schema, ReadsAsText) {
  EXPECT_EQ(text_of_schema<Reading>(),
            "record Reading{sensor: string, value: float64, at: record Time{ms: int64}}");
  EXPECT_EQ(text_of_schema<Everything>(),
            "record Everything{b: bool, u: uint16, f: float32, colour: enum Colour: int32, "
            "text: string, maybe: optional<record Time{ms: int64}>, four: array<int8, 4>, "
            "map: map<string, list<uint32>>, tuple: tuple<int8, int64, uint64>, "
            "variant: variant<tuple<>, record Tree{label: string, children: list<Tree>}>}");
}

TEST(Schema, ARecordWithinItselfIsReferredToByName) {
  EXPECT_EQ(text_of_schema<Expression>(),
            "record Expression{is: variant<float64, record Sum{terms: list<Expression>}>}");
  const auto schema = schema_of<Expression>();
  const auto& reference = schema.parts[0].parts[1].parts[0].parts[0];
  EXPECT_EQ(reference.kind, Schema::Kind::kBackReference);
  EXPECT_EQ(reference.count, 1u);
}

template <class T>
void survives_its_bytes() {
  const auto schema = schema_of<T>();
  const auto back = schema_from(schema_bytes(schema));
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, schema);
}

TEST(SchemaBytes, EverySchemaComesBack) {
  survives_its_bytes<int>();
  survives_its_bytes<Reading>();
  survives_its_bytes<Everything>();
  survives_its_bytes<Expression>();
  survives_its_bytes<std::tuple<>>();
}

// Written by hand from docs/formats/records.md.
TEST(SchemaBytes, AreThoseOfTheFormat) {
  using namespace std::string_literals;
  const auto tree =
      "\x00"s                 // format version
      "\x13\x00\x04Tree\x02"  // record, layout version, name, two fields
      "\x05label\x0b"         // string
      "\x08"
      "children\x0e"        // list of
      "\x14\x04Tree\x00"s;  // a reference to Tree, with no record between
  EXPECT_EQ(text_of(schema_bytes(schema_of<Tree>())), tree);
  const auto colours =
      "\x00\x0f\xac\x02"  // format version, array, of 300
      "\x0c\x06"
      "Colour\x03"s;  // an enum on int32
  EXPECT_EQ(text_of(schema_bytes(schema_of<std::array<Colour, 300>>())), colours);
}

TEST(SchemaBytes, CutShortOrDamagedTheyAreAnErrorOrAnotherSchemaWithJustTheseBytes) {
  auto bytes = schema_bytes(schema_of<Everything>());
  for (std::size_t size = 0; size != bytes.size(); ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(schema_from(cut)) << size;
  }
  for (auto& byte : bytes) {
    const auto good = byte;
    for (unsigned value = 0; value != 256; ++value) {
      byte = static_cast<std::byte>(value);
      if (const auto schema = schema_from(bytes)) {
        EXPECT_EQ(schema_bytes(*schema), bytes);
        EXPECT_FALSE(schema->to_string().empty());
      }
    }
    byte = good;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(schema_from(bytes).error().code, Code::kCorrupt);
}

std::string complaint(std::string_view bytes) {
  const auto schema = schema_from(bytes_of(bytes));
  return schema ? "no complaint" : schema.error().what;
}

TEST(SchemaBytes, HostileOnesAreRefused) {
  using namespace std::string_literals;
  EXPECT_EQ(complaint("\1\0"s),
            "reading a Schema: a schema has a format version that is not known, at byte 1 of 2");
  EXPECT_EQ(complaint("\0\x15"s),
            "reading a Schema: a schema has a kind that is not known, at byte 2 of 2");
  EXPECT_EQ(complaint("\0\x14\1T\0"s),
            "reading a Schema: a back reference leads out of the schema, at byte 5 of 5");
  EXPECT_EQ(complaint("\0\x13\0\1T\1\1f\x14\1T\1"s),
            "reading a Schema: a back reference leads out of the schema, at byte 12 of 12");
  EXPECT_EQ(complaint("\0\x13\1\1T\0"s),
            "reading a Schema: a record has a layout version that is not known, at byte 3 of 6");
  EXPECT_EQ(complaint("\0\x12\0"s),
            "reading a Schema: a variant has no alternative, at byte 3 of 3");
  EXPECT_EQ(complaint("\0\x0c\1E\x0b"s),
            "reading a Schema: an enum stands on something that is no integer, at byte 5 of 5");
  EXPECT_EQ(complaint("\0\x11\xff\xff\xff\xff\xff\xff\xff\xff\x7f\0"s),
            "reading a Schema: a schema has more parts than bytes, at byte 11 of 12");
  // Lists of lists of lists.
  EXPECT_EQ(complaint("\0"s + std::string(kMaxSchemaNesting - 1, '\x0e') + "\0"s), "no complaint");
  EXPECT_EQ(complaint("\0"s + std::string(kMaxSchemaNesting, '\x0e') + "\0"s),
            "reading a Schema: values are nested too deeply, at byte 65 of 66");
  std::string endless;
  endless.resize(10'000'000, '\x0e');
  EXPECT_NE(complaint(endless), "no complaint");
}

template <class Was, class Is>
std::string difference() {
  const auto compatibility = compare(schema_of<Was>(), schema_of<Is>());
  const bool as_is = compatibility.verdict == Compatibility::Verdict::kAsIs;
  EXPECT_EQ(as_is, compatibility.difference.empty());
  return compatibility.difference;
}

struct Shop {
  struct Old {
    std::int32_t id;
    std::string name;
    double price;
  };
  struct Renamed {
    std::int32_t id;
    std::string label;
    double price;
  };
  struct Shorter {
    std::int32_t id;
    std::string name;
  };
  struct Swapped {
    std::string name;
    std::int32_t id;
    double price;
  };
};
struct OtherTree {
  Text label;
  std::vector<OtherTree> children;
};
struct NumberedTree {
  std::string label;
  std::vector<std::optional<NumberedTree>> children;
};
template <class T>
struct In {
  T field;
};

TEST(SchemaCompare, TheSameShapeIsReadAsIsWhateverItsNameIs) {
  EXPECT_EQ((difference<Everything, Everything>()), "");
  EXPECT_EQ((difference<Tree, OtherTree>()), "");
  EXPECT_EQ((difference<std::string, Text>()), "");
  EXPECT_EQ((difference<std::int64_t, long long>()), "");
}

TEST(SchemaCompare, ADifferenceIsNamedWithItsPath) {
  EXPECT_EQ((difference<Reading, moved::Reading>()),
            "field Reading.value: was float64, is float32");
  EXPECT_EQ((difference<double, int>()), "value: was float64, is int32");
  EXPECT_EQ((difference<Shop::Old, Shop::Renamed>()), "field Renamed.name: was string, is gone");
  EXPECT_EQ((difference<Shop::Old, Shop::Shorter>()), "field Shorter.price: was float64, is gone");
  EXPECT_EQ((difference<Shop::Shorter, Shop::Old>()), "field Old.price: was not there, is float64");
  EXPECT_EQ((difference<Shop::Old, Shop::Swapped>()),
            "field Swapped.name: was field number 2, is number 1");
  EXPECT_EQ((difference<Colour, std::int32_t>()), "value: was enum Colour: int32, is int32");
}

TEST(SchemaCompare, ThePathLeadsThroughEveryKind) {
  EXPECT_EQ((difference<In<std::vector<In<int>>>, In<std::vector<In<bool>>>>().substr(
                difference<In<std::vector<In<int>>>, In<std::vector<In<bool>>>>().find('.'))),
            ".field[].field: was int32, is bool");
  EXPECT_EQ((difference<std::optional<int>, std::optional<bool>>()), "value?: was int32, is bool");
  EXPECT_EQ((difference<std::map<int, int>, std::map<bool, int>>()),
            "value[key]: was int32, is bool");
  EXPECT_EQ((difference<std::map<int, int>, std::map<int, bool>>()),
            "value[value]: was int32, is bool");
  EXPECT_EQ((difference<std::pair<int, int>, std::pair<int, bool>>()),
            "field value.1: was int32, is bool");
  EXPECT_EQ((difference<std::variant<int, int>, std::variant<int, bool>>()),
            "value|1: was int32, is bool");
  EXPECT_EQ((difference<std::array<int, 2>, std::array<int, 3>>()),
            "value: was array<int32, 2>, is array<int32, 3>");
  EXPECT_EQ((difference<std::variant<int>, std::variant<int, bool>>()),
            "value: was variant<int32>, is variant<int32, bool>");
  EXPECT_EQ((difference<Tree, NumberedTree>()),
            "field NumberedTree.children[]: was Tree, is optional<NumberedTree>");
}

}  // namespace
}  // namespace weir
