#include "weir/base/check.h"
#include "weir/types/schema.h"

// The bytes of a Schema: docs/formats/records.md, "The bytes of a Schema".

namespace weir {
namespace {

using Kind = Schema::Kind;

constexpr std::uint8_t kFormatVersion = 0;
constexpr std::uint8_t kRecordLayoutVersion = 0;

// How many parts a kind has where that is no matter of the individual Schema.
constexpr std::size_t fixed_parts(Kind kind) {
  switch (kind) {
    case Kind::kEnum:
    case Kind::kOptional:
    case Kind::kList:
    case Kind::kArray:
      return 1;
    case Kind::kMap:
      return 2;
    default:
      return 0;
  }
}
constexpr bool has_name(Kind kind) {
  return kind == Kind::kEnum || kind == Kind::kRecord || kind == Kind::kBackReference;
}
constexpr bool has_count(Kind kind) { return kind == Kind::kArray || kind == Kind::kBackReference; }
constexpr bool counts_parts(Kind kind) {
  return kind == Kind::kTuple || kind == Kind::kVariant || kind == Kind::kRecord;
}

void write_node(ByteWriter& writer, const Schema& schema, unsigned depth) {
  WEIR_CHECK(depth < kMaxSchemaNesting);
  writer.number(schema.kind);
  if (schema.kind == Kind::kRecord) writer.number(kRecordLayoutVersion);
  if (has_name(schema.kind)) writer.text(schema.name);
  if (has_count(schema.kind)) writer.leb128(schema.count);
  if (counts_parts(schema.kind)) {
    writer.leb128(schema.parts.size());
  } else {
    WEIR_CHECK(schema.parts.size() == fixed_parts(schema.kind));
  }
  if (schema.kind == Kind::kRecord) WEIR_CHECK(schema.field_names.size() == schema.parts.size());
  for (std::size_t i = 0; i != schema.parts.size(); ++i) {
    if (schema.kind == Kind::kRecord) writer.text(schema.field_names[i]);
    write_node(writer, schema.parts[i], depth + 1);
  }
}

// Reads one tree. `records` says how many records enclose the place: what a back reference may
// mean.
class SchemaReader {
 public:
  explicit SchemaReader(ByteReader& reader) : reader_(reader) {}

  bool node(Schema& out, std::uint64_t records) {
    if (!reader_.descend(kMaxSchemaNesting)) return false;
    out.kind = kind();
    out.name.clear();
    out.count = 0;
    if (out.kind == Kind::kRecord) layout_version();
    if (has_name(out.kind)) out.name = reader_.text();
    if (has_count(out.kind)) out.count = reader_.leb128();
    if (out.kind == Kind::kBackReference && out.count >= records) {
      reader_.fail("a back reference leads out of the schema");
    }
    if (!parts(out, records + (out.kind == Kind::kRecord))) return false;
    reader_.ascend();
    return check(out);
  }

 private:
  Kind kind() {
    const auto kind = reader_.number<Kind>();
    if (kind > Kind::kBackReference) reader_.fail("a schema has a kind that is not known");
    return reader_.ok() ? kind : Kind::kBool;
  }

  void layout_version() {
    if (reader_.number<std::uint8_t>() != kRecordLayoutVersion) {
      reader_.fail("a record has a layout version that is not known");
    }
  }

  bool parts(Schema& out, std::uint64_t records) {
    const auto count = counts_parts(out.kind) ? reader_.leb128() : fixed_parts(out.kind);
    if (count > reader_.remaining()) reader_.fail("a schema has more parts than bytes");
    out.field_names.clear();
    out.parts.clear();
    for (std::uint64_t i = 0; reader_.ok() && i != count; ++i) {
      if (out.kind == Kind::kRecord) out.field_names.emplace_back(reader_.text());
      if (!node(out.parts.emplace_back(), records)) return false;
    }
    return reader_.ok();
  }

  bool check(const Schema& schema) {
    if (schema.kind == Kind::kEnum && schema.parts[0].kind > Kind::kUint64) {
      reader_.fail("an enum stands on something that is no integer");
    }
    if (schema.kind == Kind::kVariant && schema.parts.empty()) {
      reader_.fail("a variant has no alternative");
    }
    return reader_.ok();
  }

  ByteReader& reader_;
};

}  // namespace

void write_schema(ByteWriter& writer, const Schema& schema) {
  writer.number(kFormatVersion);
  write_node(writer, schema, 0);
}

bool read_schema(ByteReader& reader, Schema& schema) {
  if (reader.number<std::uint8_t>() != kFormatVersion) {
    reader.fail("a schema has a format version that is not known");
  }
  return SchemaReader(reader).node(schema, 0);
}

Bytes schema_bytes(const Schema& schema) {
  Bytes bytes;
  ByteWriter writer(bytes);
  write_schema(writer, schema);
  return bytes;
}

Result<Schema> schema_from(ByteView bytes) {
  ByteReader reader(bytes);
  Schema schema;
  read_schema(reader, schema);
  WEIR_TRY(reader.finish("reading a ", "Schema"));
  return schema;
}

}  // namespace weir
