#include "weir/state/api/snapshot_restore.h"

#include <array>
#include <cstring>

#include "weir/base/checksum.h"
#include "weir/state/api/snapshot_reader.h"

namespace weir::state {
namespace {

// Gathers entries into key blocks and writes them to one table.
class Filler {
 public:
  Filler(const RestoreTarget& target, const SnapshotReader& reader)
      : descriptor_(*target.descriptor), table_(*target.table), reader_(reader) {}

  Status add(const SnapshotEntry& entry, std::uint64_t key_hash) {
    hashes_[count_] = key_hash;
    views_[count_] = entry.key;
    values_[count_] = entry.value;
    if (descriptor_.schema.key.is_fixed()) append(keys_, bytes_of(entry.key));
    append(namespaces_, entry.name_space);
    return ++count_ == kKeyBlock ? flush() : ok();
  }

  Status flush() {
    if (count_ == 0) return ok();
    KeyBlock block{count_, hashes_.data()};
    if (descriptor_.schema.key.is_fixed()) {
      block.fixed = keys_.data();
    } else {
      block.variable = views_.data();
    }
    if (!namespaces_.empty()) block.namespaces = namespaces_.data();
    std::array<void*, kKeyBlock> places;
    std::uint64_t is_new = 0;
    if (table_.open_to_write(block, places.data(), is_new) != count_) return table_.error();
    for (std::uint32_t i = 0; i != count_; ++i) {
      if (!read_value(values_[i], places[i]))
        return reader_.corrupt(
            0, "a value of state " + descriptor_.schema.state_name + " is not of its type");
    }
    count_ = 0;
    keys_.clear();
    namespaces_.clear();
    return ok();
  }

 private:
  static void append(Bytes& to, ByteView bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

  bool read_value(ByteView bytes, void* place) const {
    const ValueType& type = descriptor_.value;
    if (type.is_plain_bytes) {
      if (type.plain_header) {
        if (bytes.empty() || bytes.front() != *type.plain_header) return false;
        bytes = bytes.subspan(1);
      }
      if (bytes.size() != type.size) return false;
      if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
      return true;
    }
    ByteReader reader(bytes);
    return type.read(reader, place) && reader.ok() && reader.remaining() == 0;
  }

  const TableDescriptor& descriptor_;
  KeyedTable& table_;
  const SnapshotReader& reader_;
  std::uint32_t count_ = 0;
  std::array<std::uint64_t, kKeyBlock> hashes_;
  std::array<std::string_view, kKeyBlock> views_;
  std::array<ByteView, kKeyBlock> values_;
  Bytes keys_;
  Bytes namespaces_;
};

const RestoreTarget* find(std::span<const RestoreTarget> targets, const std::string& name) {
  for (const auto& target : targets)
    if (target.descriptor->schema.state_name == name) return &target;
  return nullptr;
}

Status check_schemas(const TableSchema& in_file, const TableSchema& in_job,
                     const SchemaCheck& check) {
  const std::pair<const char*, std::pair<const Bytes*, const Bytes*>> parts[] = {
      {"key", {&in_file.key_schema, &in_job.key_schema}},
      {"namespace", {&in_file.namespace_schema, &in_job.namespace_schema}},
      {"value", {&in_file.value_schema, &in_job.value_schema}}};
  for (const auto& [part, schemas] : parts) {
    if (auto status = check(*schemas.first, *schemas.second); !status)
      return status.error().during(part);
  }
  // Of equal schemas, so only where somebody's schemas do not say all.
  if (!(in_file.key == in_job.key) || in_file.namespace_bytes != in_job.namespace_bytes) {
    return Error{Code::kInvalid, "keys or namespaces are of another size, found " +
                                     std::to_string(in_file.key.fixed_bytes) + " and " +
                                     std::to_string(in_file.namespace_bytes) + ", the job has " +
                                     std::to_string(in_job.key.fixed_bytes) + " and " +
                                     std::to_string(in_job.namespace_bytes)};
  }
  return ok();
}

class Restore {
 public:
  explicit Restore(const RestoreRequest& request) : request_(request) {}

  Status read(const ByteSource& file) {
    WEIR_ASSIGN(const auto reader, SnapshotReader::open(file));
    WEIR_TRY(check(reader, file));
    announce(reader);
    for (const auto& block : reader.blocks()) {
      if (!block.key_groups.overlaps(request_.key_groups)) continue;
      if (auto status = read(reader, block); !status) return status;
    }
    return ok();
  }

 private:
  Status check(const SnapshotReader& reader, const ByteSource& file) const {
    const auto& header = reader.header();
    const auto refuse = [&](const std::string& why) {
      return Error{Code::kInvalid, "reading keyed state " + file.name() + ": " + why};
    };
    if (header.max_parallelism != request_.max_parallelism) {
      return refuse("it was written with max_parallelism " +
                    std::to_string(header.max_parallelism) + ", the job has " +
                    std::to_string(request_.max_parallelism));
    }
    if (header.is_delta) {
      return refuse("it holds the changes since checkpoint " + std::to_string(header.base.value) +
                    " only, not the whole state");
    }
    for (const auto& table : header.tables) {
      const auto* target = find(request_.targets, table.state_name);
      if (target == nullptr) {
        return refuse("the job declares no state " + table.state_name + " in that operator");
      }
      if (auto status = check_schemas(table, target->descriptor->schema, request_.check_schema);
          !status) {
        return status.error()
            .during("comparing the schema of state " + table.state_name)
            .during("reading keyed state " + file.name());
      }
    }
    return ok();
  }

  // Blocks come in the order in which the table lies, so it must know how much follows.
  void announce(const SnapshotReader& reader) {
    for (std::uint32_t i = 0; i != reader.header().tables.size(); ++i) {
      const auto* target = find(request_.targets, reader.header().tables[i].state_name);
      auto entries = target->table->entry_count();
      for (const auto& block : reader.blocks())
        if (block.table == i && block.key_groups.overlaps(request_.key_groups))
          entries += block.count;
      target->table->expect(entries);
    }
  }

  Status read(const SnapshotReader& reader, const BlockPlace& block) {
    if (block.kind != BlockKind::kEntries)
      return reader.corrupt(block.offset, "a whole snapshot has deleted keys");
    WEIR_TRY(reader.read(block, bytes_));
    const auto& schema = reader.header().tables[block.table];
    Filler filler(*find(request_.targets, schema.state_name), reader);
    auto entries = reader.entries(block, bytes_);
    while (const auto entry = entries.next()) {
      const auto hash = checksum(bytes_of(entry->key));  // The key hash is the same function.
      const auto group = key_group_of(hash, request_.max_parallelism);
      if (!block.key_groups.contains(group))
        return reader.corrupt(block.offset, "an entry is of another key group than its block");
      if (!request_.key_groups.contains(group)) continue;
      if (auto status = filler.add(*entry, hash); !status) return at(block, status.error());
    }
    if (!entries.is_whole())
      return reader.corrupt(block.offset, "a block does not consist of the entries it says");
    if (auto status = filler.flush(); !status) return at(block, status.error());
    return ok();
  }

  static Error at(const BlockPlace& block, const Error& error) {
    return error.during("block at offset " + std::to_string(block.offset));
  }

  const RestoreRequest& request_;
  Bytes bytes_;
};

}  // namespace

Status restore_tables(const RestoreRequest& request) {
  Restore restore(request);
  for (const ByteSource& file : request.files) {
    if (auto status = restore.read(file); !status)
      return status.error().during("restoring operator " + request.operator_name);
  }
  for (const auto& target : request.targets) target.table->expect(0);
  return ok();
}

}  // namespace weir::state
