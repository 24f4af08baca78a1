#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/result.h"

namespace weir {

// The shape of a serialised value, as data: what Serializer<T>::schema() says, what travels with
// state so that its bytes explain themselves, what a restored job is compared with.
//
// A tree. A record that contains itself refers back instead of growing without end.
//
//   Shape   parts by kind - optional, list, array: the element; map: key and value; tuple, variant:
//           in order, at least one in a variant; record: its fields; enum: the underlying type;
//           else none. A list's elements may be any number, an array's are `count`
//   Source  the bytes of a Schema and of what it describes: docs/formats/records.md
struct Schema {
  // The numbers are those of the format and never change.
  enum class Kind : std::uint8_t {
    kBool = 0,
    kInt8 = 1,
    kInt16 = 2,
    kInt32 = 3,
    kInt64 = 4,
    kUint8 = 5,
    kUint16 = 6,
    kUint32 = 7,
    kUint64 = 8,
    kFloat32 = 9,
    kFloat64 = 10,
    kString = 11,  // std::string and Text
    kEnum = 12,
    kOptional = 13,
    kList = 14,
    kArray = 15,
    kMap = 16,
    kTuple = 17,  // pair too
    kVariant = 18,
    kRecord = 19,
    kBackReference = 20,  // to an enclosing record: `count` others lie between
  };

  Kind kind = Kind::kBool;
  std::string name{};       // of a record, an enum, the record referred to; without namespaces
  std::uint64_t count = 0;  // elements of an array; records between a back reference and its target
  std::vector<std::string> field_names{};  // of a record: one for each part
  std::vector<Schema> parts{};

  // "record Reading{sensor: string, value: float64}". For people.
  std::string to_string() const;

  friend bool operator==(const Schema&, const Schema&) = default;
};

// Schemas nested deeper than this are refused at reading and are our bug at writing.
inline constexpr unsigned kMaxSchemaNesting = 64;

void write_schema(ByteWriter& writer, const Schema& schema);
// False, and a failed reader, where the bytes are no Schema.
bool read_schema(ByteReader& reader, Schema& schema);

// All the bytes are one Schema, else the error says what is wrong and where.
Bytes schema_bytes(const Schema& schema);
Result<Schema> schema_from(ByteView bytes);

// Whether bytes of one Schema can be read as another.
struct Compatibility {
  enum class Verdict : unsigned char { kAsIs, kIncompatible };
  Verdict verdict = Verdict::kAsIs;
  // The first difference: "field Reading.value: was float64, is int32". Empty where there is none.
  std::string difference{};
};

// Compares the Schema of restored bytes with that of the job that wants to read them. Kinds, order
// of parts and names of fields decide; names of records and enums do not, for classes move.
Compatibility compare(const Schema& restored, const Schema& current);

}  // namespace weir
