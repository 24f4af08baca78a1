#include "weir/state/api/snapshot_format.h"

#include <algorithm>

#include "weir/base/checksum.h"

namespace weir::state::snapshot_format {
namespace {

template <class Meaning>
void append_wide_id(const WideId<Meaning>& id, ByteWriter& out) {
  out.raw(std::as_bytes(std::span(id.bytes)));
}

template <class Meaning>
void read_wide_id(ByteReader& in, WideId<Meaning>& id) {
  const auto bytes = in.raw(id.bytes.size());
  if (in.ok()) std::memcpy(id.bytes.data(), bytes.data(), bytes.size());
}

void append_table(const TableSchema& table, ByteWriter& out) {
  out.text(table.state_name);
  out.leb128(table.key.fixed_bytes);
  out.leb128(table.namespace_bytes);
  out.text(text_of(table.key_schema));
  out.text(text_of(table.namespace_schema));
  out.text(text_of(table.value_schema));
}

Bytes bytes_in(std::string_view text) {
  const auto view = bytes_of(text);
  return {view.begin(), view.end()};
}

TableSchema read_table(ByteReader& in) {
  TableSchema table;
  table.state_name = in.text();
  const auto key_bytes = in.leb128();
  const auto namespace_bytes = in.leb128();
  if (key_bytes > kFixedKeyBytesMax || namespace_bytes > kNamespaceBytesMax) in.fail();
  table.key.fixed_bytes = static_cast<std::uint32_t>(key_bytes);
  table.namespace_bytes = static_cast<std::uint32_t>(namespace_bytes);
  table.key_schema = bytes_in(in.text());
  table.namespace_schema = bytes_in(in.text());
  table.value_schema = bytes_in(in.text());
  return table;
}

// The least that append_table() writes.
constexpr std::uint64_t kTableBytesMin = 6;

}  // namespace

Bytes encode_header(const SnapshotHeader& header) {
  Bytes body;
  ByteWriter out(body);
  out.number(header.epoch.value);
  append_wide_id(header.job, out);
  out.number(header.checkpoint.value);
  append_wide_id(header.operator_id, out);
  out.number(header.max_parallelism);
  out.number(header.key_groups.first.value);
  out.number(header.key_groups.last.value);
  out.number(static_cast<std::uint8_t>(header.is_delta ? 1 : 0));
  out.number(header.base.value);
  out.leb128(header.tables.size());
  for (const auto& table : header.tables) append_table(table, out);

  Bytes all;
  ByteWriter whole(all);
  whole.number(kMagic);
  whole.number(kVersion);
  whole.number(static_cast<std::uint32_t>(body.size()));
  whole.raw(body);
  whole.number(checksum(all));
  return all;
}

bool decode_header(ByteView bytes, SnapshotHeader& header) {
  ByteReader in(bytes);
  header.epoch.value = in.number<std::uint64_t>();
  read_wide_id(in, header.job);
  header.checkpoint.value = in.number<std::uint64_t>();
  read_wide_id(in, header.operator_id);
  header.max_parallelism = in.number<std::uint32_t>();
  header.key_groups.first.value = in.number<std::uint32_t>();
  header.key_groups.last.value = in.number<std::uint32_t>();
  const auto kind = in.number<std::uint8_t>();
  header.is_delta = kind == 1;
  header.base.value = in.number<std::uint64_t>();
  const auto tables = in.leb128();
  if (tables > in.remaining() / kTableBytesMin) return false;
  for (std::uint64_t i = 0; i != tables && in.ok(); ++i) header.tables.push_back(read_table(in));
  const auto& groups = header.key_groups;
  return in.ok() && in.remaining() == 0 && kind <= 1 && groups.first <= groups.last &&
         groups.last.value < header.max_parallelism;
}

void append_block_head(const BlockPlace& place, ByteWriter& out) {
  out.number(place.table);
  out.number(place.kind);
  out.number(place.key_groups.first.value);
  out.number(place.key_groups.last.value);
  out.number(place.count);
  out.number(place.length);
  out.number(place.checksum);
}

BlockPlace read_block_head(ByteReader& in) {
  BlockPlace place;
  place.table = in.number<std::uint32_t>();
  place.kind = in.number<BlockKind>();
  place.key_groups.first.value = in.number<std::uint32_t>();
  place.key_groups.last.value = in.number<std::uint32_t>();
  place.count = in.number<std::uint64_t>();
  place.length = in.number<std::uint64_t>();
  place.checksum = in.number<std::uint64_t>();
  return place;
}

}  // namespace weir::state::snapshot_format
