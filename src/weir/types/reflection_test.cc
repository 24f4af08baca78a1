#include "weir/types/reflection.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

struct Point {
  int x, y;
};
struct Everything {
  std::string ts;
  std::optional<Point> sym_;
  std::vector<Point> Px2;
  std::map<int, std::string> m;
  std::array<int, 3> a;
  std::pair<int, Point> p;
  Point point;
  bool b;
};
struct Tree {
  std::vector<Tree> children;
};
struct Nothing {};
struct WithDefaults {
  int a = 3;
  std::string b = "x";
  std::vector<int> c{1, 2};
};
// Shapes that a counter of fields is easily misled by.
struct Awkward {
  std::tuple<int, std::string> tuple;
  std::array<WithDefaults, 2> defaults;
  std::optional<std::string> text;
  std::array<std::array<char, 200>, 20> block;
  std::function<int(int)> function;
};
struct MoveOnly {
  std::unique_ptr<int> first;
  std::string second;
};
struct WithMatrix {
  int m[2][2];
};
struct WithManyElements {
  char c[5000];
};
template <class T>
struct Holder {
  T held;
  int times;
};

struct WithArray {
  int before;
  char name[16];
  int after;
};
struct WithArrayOfOne {
  char name[1];
};
struct WithReference {
  int& n;
};
struct Derived : Point {
  int z;
};
struct DerivedEmpty : Point {};
class WithConstructor {
 public:
  WithConstructor() = default;
  explicit WithConstructor(int a) : id(a) {}
  int id = 0;
  std::string note;
};
struct Extended : Point {
  int z = 0;
};
WEIR_FIELDS(Extended, x, y, z)
WEIR_FIELDS(WithConstructor, note, id)
struct Single {
  int only;
};
WEIR_FIELDS(Single, only)

template <class T>
std::string names_of() {
  std::string text;
  for (const auto name : field_names<T>()) text.append(name).append(" ");
  return text;
}

TEST(Reflection, AnAggregateIsARecordWithoutHelp) {
  EXPECT_EQ(names_of<Everything>(), "ts sym_ Px2 m a p point b ");
  EXPECT_EQ(field_count<Everything>(), 8u);
  EXPECT_EQ(names_of<Tree>(), "children ");
  EXPECT_EQ(names_of<Nothing>(), "");
  EXPECT_EQ((names_of<Holder<std::string>>()), "held times ");
  EXPECT_EQ(names_of<Awkward>(), "tuple defaults text block function ");
  static_assert(std::is_same_v<FieldType<Everything, 6>, Point>);
  static_assert(std::is_same_v<FieldType<Holder<std::string>, 0>, std::string>);
}

TEST(Reflection, ALocalTypeIsARecordToo) {
  struct Local {
    int first;
    std::string second;
  };
  EXPECT_EQ(names_of<Local>(), "first second ");
}

TEST(Reflection, WeirFieldsServesTheRestAndHasTheLastWord) {
  EXPECT_EQ(names_of<Extended>(), "x y z ");
  EXPECT_EQ(names_of<WithConstructor>(), "note id ");
  EXPECT_EQ(names_of<Single>(), "only ");
  static_assert(std::is_same_v<FieldType<WithConstructor, 0>, std::string>);
}

TEST(Reflection, WhatCannotBeTakenApartIsNoRecord) {
  static_assert(!Record<WithArray>);
  static_assert(!Record<WithMatrix>);
  static_assert(!Record<WithManyElements>);
  static_assert(!Record<MoveOnly>);
  static_assert(!Record<WithReference>);
  static_assert(!Record<Derived>);
  static_assert(!Record<DerivedEmpty>);
  static_assert(!Record<int>);
  static_assert(!Record<const Point>);
  static_assert(!Record<std::string>);
  static_assert(!Record<std::array<int, 2>>);
  static_assert(!Record<std::pair<int, int>>);
  // An array of one looks like one field; it is refused as a field that cannot be serialised.
  static_assert(std::is_array_v<FieldType<WithArrayOfOne, 0>>);
}

TEST(Reflection, FieldsAreVisitedInOrderAndCanBeChanged) {
  Extended value;
  for_each_indexed_field(value,
                         [](auto index, int& field) { field = static_cast<int>(index()) + 5; });
  EXPECT_EQ(value.x, 5);
  EXPECT_EQ(value.y, 6);
  EXPECT_EQ(value.z, 7);
  const Point point{3, 4};
  std::vector<int> seen;
  for_each_field(point, [&](const int& field) { seen.push_back(field); });
  EXPECT_EQ(seen, (std::vector{3, 4}));
}

TEST(Reflection, APointerToMemberHasTheNameOfItsField) {
  EXPECT_EQ(field_name_of(&Everything::ts), "ts");
  EXPECT_EQ(field_name_of(&Everything::point), "point");
  EXPECT_EQ(field_name_of(&Point::x), "x");
  EXPECT_EQ(field_name_of(&WithConstructor::id), "id");
}

TEST(TypeName, SaysTheTypeWithAndWithoutNamespaces) {
  EXPECT_EQ(type_name<int>(), "int");
  EXPECT_EQ(type_name<FieldList<>>(), "weir::FieldList<>");
  EXPECT_EQ(short_type_name<Point>(), "Point");
  EXPECT_EQ(short_type_name<FieldList<>>(), "FieldList<>");
}

}  // namespace
}  // namespace weir
