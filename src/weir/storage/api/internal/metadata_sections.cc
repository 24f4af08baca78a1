#include "weir/storage/api/internal/metadata_sections.h"

#include <set>

#include "weir/storage/api/checkpoint_names.h"

namespace weir::storage {

using checkpoint::CompletedCheckpoint;
using checkpoint::FileHandle;
using checkpoint::KeyedStateHandle;
using checkpoint::OperatorState;
using checkpoint::OperatorSubtaskState;
using checkpoint::StateHandle;
using checkpoint::SubtaskProgress;

namespace {

constexpr std::uint8_t kInline = 0;
constexpr std::uint8_t kFile = 1;

// Reads fields and keeps the first complaint; after one every read gives zeros.
class Fields {
 public:
  explicit Fields(ByteView payload) : reader_(payload) {}

  template <class Number>
  Number number() {
    return reader_.number<Number>();
  }
  std::string text() { return std::string(reader_.text()); }
  Bytes bytes() {
    const auto view = reader_.raw(reader_.leb128());
    return {view.begin(), view.end()};
  }
  template <class Meaning>
  WideId<Meaning> wide_id() {
    WideId<Meaning> id;
    for (auto& byte : id.bytes) byte = reader_.number<std::uint8_t>();
    return id;
  }
  // A byte that numbers the values of an enum, 0 .. last.
  template <class Enum>
  Enum one_of(Enum last, std::string_view what) {
    const auto value = reader_.number<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last)) {
      complain(std::string(what) + " " + std::to_string(value) + " is unknown");
      return Enum{};
    }
    return static_cast<Enum>(value);
  }
  // How many follow, each of at least `bytes_min` bytes: more than could be there is a lie.
  std::uint64_t count(std::size_t bytes_min, std::string_view what) {
    const auto count = reader_.leb128();
    if (count <= reader_.remaining() / bytes_min) return count;
    complain("a count of " + std::to_string(count) + " " + std::string(what) +
             ", more than its bytes can hold");
    return 0;
  }

  void complain(std::string what) {
    if (complaint_.empty()) complaint_ = std::move(what);
    reader_.fail();
  }
  bool ok() const { return reader_.ok(); }
  // What was wrong, once everything has been read.
  std::string verdict() const {
    if (!complaint_.empty()) return complaint_;
    if (!reader_.ok()) return "it ends inside a field";
    if (reader_.remaining() != 0)
      return std::to_string(reader_.remaining()) + " bytes follow its last field";
    return "";
  }

 private:
  ByteReader reader_;
  std::string complaint_;
};

template <class Meaning>
void write_id(ByteWriter& writer, const WideId<Meaning>& id) {
  for (const auto byte : id.bytes) writer.number(byte);
}

void write_bytes(ByteWriter& writer, const Bytes& bytes) {
  writer.leb128(bytes.size());
  writer.raw(bytes);
}

void write_handle(ByteWriter& writer, const StateHandle& handle) {
  if (const auto* bytes = std::get_if<Bytes>(&handle)) {
    writer.number(kInline);
    write_bytes(writer, *bytes);
    return;
  }
  const auto& file = std::get<FileHandle>(handle);
  WEIR_CHECK(check_relative_name(file.name));
  writer.number(kFile);
  writer.text(file.name);
  writer.number(file.length);
  writer.number(file.checksum);
}

StateHandle read_handle(Fields& fields) {
  if (fields.one_of<std::uint8_t>(kFile, "kind of handle") == kInline) return fields.bytes();
  FileHandle file;
  file.name = fields.text();
  file.length = fields.number<std::uint64_t>();
  file.checksum = fields.number<std::uint64_t>();
  if (!fields.ok()) return {};
  if (const auto relative = check_relative_name(file.name); !relative)
    fields.complain(relative.error().what);
  return file;
}

void write_subtask(ByteWriter& writer, const OperatorSubtaskState& state) {
  writer.leb128(state.keyed.size());
  for (const auto& keyed : state.keyed) {
    writer.number(keyed.groups.first.value);
    writer.number(keyed.groups.last.value);
    write_handle(writer, keyed.where);
  }
  writer.number<std::uint8_t>(state.lists ? 1 : 0);
  if (state.lists) write_handle(writer, *state.lists);
}

OperatorSubtaskState read_subtask(Fields& fields, const OperatorState& op) {
  constexpr std::size_t kKeyedBytesMin = 4 + 4 + 1 + 1;
  OperatorSubtaskState state{.id = op.id, .keyed = {}, .lists = {}};
  const auto count = fields.count(kKeyedBytesMin, "keyed states");
  for (std::uint64_t i = 0; i != count && fields.ok(); ++i) {
    KeyedStateHandle keyed;
    keyed.groups.first.value = fields.number<std::uint32_t>();
    keyed.groups.last.value = fields.number<std::uint32_t>();
    keyed.where = read_handle(fields);
    if (keyed.groups.first > keyed.groups.last || keyed.groups.last.value >= op.max_parallelism)
      fields.complain("key groups " + std::to_string(keyed.groups.first.value) + " to " +
                      std::to_string(keyed.groups.last.value) + " of " +
                      std::to_string(op.max_parallelism));
    state.keyed.push_back(std::move(keyed));
  }
  if (fields.one_of<std::uint8_t>(1, "presence of list state") == 1)
    state.lists = read_handle(fields);
  return state;
}

void write_operator(ByteWriter& writer, const OperatorState& op) {
  WEIR_CHECK(op.subtasks.size() == op.parallelism);
  WEIR_CHECK(op.progress.size() == op.parallelism);
  WEIR_CHECK(op.max_parallelism <= kMaxParallelismLimit);
  write_id(writer, op.id);
  writer.text(op.uid);
  writer.text(op.name);
  writer.number(op.parallelism);
  writer.number(op.max_parallelism);
  for (std::size_t i = 0; i != op.parallelism; ++i) {
    WEIR_CHECK(op.subtasks[i].id == op.id);
    writer.number(op.progress[i]);
    write_subtask(writer, op.subtasks[i]);
  }
}

OperatorState read_operator(Fields& fields) {
  OperatorState op;
  op.id = fields.wide_id<OperatorMeaning>();
  op.uid = fields.text();
  op.name = fields.text();
  op.parallelism = fields.number<std::uint32_t>();
  op.max_parallelism = fields.number<std::uint32_t>();
  if (op.parallelism == 0 || op.parallelism > kMaxParallelismLimit)
    fields.complain("parallelism " + std::to_string(op.parallelism));
  if (op.max_parallelism > kMaxParallelismLimit)
    fields.complain("max parallelism " + std::to_string(op.max_parallelism));
  for (std::uint32_t i = 0; i != op.parallelism && fields.ok(); ++i) {
    op.progress.push_back(fields.one_of(SubtaskProgress::kFinished, "progress"));
    op.subtasks.push_back(read_subtask(fields, op));
  }
  return op;
}

}  // namespace

Bytes encode_checkpoint(const CompletedCheckpoint& checkpoint) {
  Bytes out;
  ByteWriter writer(out);
  write_id(writer, checkpoint.job);
  writer.number(checkpoint.epoch.value);
  writer.number(checkpoint.id.value);
  writer.number(checkpoint.kind);
  writer.number(checkpoint.owner);
  writer.number(checkpoint.triggered_at.unix_ms);
  writer.text(checkpoint.target);
  return out;
}

std::string decode_checkpoint(ByteView payload, CompletedCheckpoint& out) {
  Fields fields(payload);
  out.job = fields.wide_id<JobMeaning>();
  out.epoch.value = fields.number<std::uint64_t>();
  out.id.value = fields.number<std::uint64_t>();
  out.kind = fields.one_of(CheckpointKind::kStopSavepoint, "kind of checkpoint");
  out.owner = fields.one_of(checkpoint::Owner::kUser, "owner");
  out.triggered_at.unix_ms = fields.number<std::int64_t>();
  out.target = fields.text();
  return fields.verdict();
}

Bytes encode_operators(const std::vector<OperatorState>& operators) {
  Bytes out;
  ByteWriter writer(out);
  writer.leb128(operators.size());
  for (const auto& op : operators) write_operator(writer, op);
  return out;
}

std::string decode_operators(ByteView payload, std::vector<OperatorState>& out) {
  constexpr std::size_t kOperatorBytesMin = 16 + 1 + 1 + 4 + 4 + 3;
  Fields fields(payload);
  std::set<OperatorId> seen;
  const auto count = fields.count(kOperatorBytesMin, "operators");
  for (std::uint64_t i = 0; i != count && fields.ok(); ++i) {
    out.push_back(read_operator(fields));
    if (!seen.insert(out.back().id).second)
      fields.complain("operator " + out.back().id.to_hex() + " occurs twice");
  }
  return fields.verdict();
}

Bytes encode_schemas(std::span<const checkpoint::StateSchema> schemas) {
  Bytes out;
  ByteWriter writer(out);
  writer.leb128(schemas.size());
  for (const auto& schema : schemas) {
    write_id(writer, schema.op);
    writer.text(schema.state);
    writer.text(schema.kind);
    write_bytes(writer, schema.key);
    write_bytes(writer, schema.name_space);
    write_bytes(writer, schema.value);
  }
  return out;
}

std::string decode_schemas(ByteView payload, std::vector<checkpoint::StateSchema>& out) {
  constexpr std::size_t kSchemaBytesMin = 16 + 5;
  Fields fields(payload);
  const auto count = fields.count(kSchemaBytesMin, "schemas");
  for (std::uint64_t i = 0; i != count && fields.ok(); ++i) {
    checkpoint::StateSchema schema;
    schema.op = fields.wide_id<OperatorMeaning>();
    schema.state = fields.text();
    schema.kind = fields.text();
    schema.key = fields.bytes();
    schema.name_space = fields.bytes();
    schema.value = fields.bytes();
    out.push_back(std::move(schema));
  }
  return fields.verdict();
}

}  // namespace weir::storage
