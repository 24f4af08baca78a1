#include "weir/state/heap/heap_backend.h"

#include <algorithm>
#include <bit>

#include "weir/state/api/snapshot_restore.h"
#include "weir/state/heap/internal/dense_entry.h"
#include "weir/state/heap/internal/heap_table.h"

namespace weir::state::heap {
namespace {

class HeapBackend final : public KeyedBackend {
 public:
  explicit HeapBackend(const KeyedBackendContext& context)
      : context_(context),
        cuts_(context.staging, context.on_staging_room, context.entry_bytes_max,
              context.tracks_changes) {}

  Result<KeyedTable*> table(const TableDescriptor& descriptor) override;
  Status restore(std::span<const std::reference_wrapper<const ByteSource>> files) override;
  Result<CutTaken> cut(CheckpointId id, CutKind kind, SnapshotOutput& output) override;
  Result<WalkProgress> walk(std::uint64_t budget_bytes) override;
  void abort(CheckpointId id) override { cuts_.abort(id); }
  void complete(CheckpointId id) override;
  bool is_blocked_on_staging() const override { return cuts_.is_blocked(); }
  KeyedStatistics statistics() const override;
  std::vector<TableSchema> tables() const override;

 private:
  struct Table {
    TableDescriptor descriptor;
    std::unique_ptr<StoredTable> stored;
  };

  std::string attempt(const std::string& what) const {
    return what + " of operator " + context_.operator_name;
  }
  Status check(const TableDescriptor& descriptor) const;
  Result<WalkProgress> walk_on(std::uint64_t budget_bytes);

  const KeyedBackendContext context_;
  Cuts cuts_;
  std::uint64_t saved_at_walk_ = 0;  // bytes, when the last one ended
  std::vector<Table> tables_;
};

Result<KeyedTable*> HeapBackend::table(const TableDescriptor& descriptor) {
  const auto during = attempt("declaring state " + descriptor.schema.state_name);
  if (auto status = check(descriptor); !status) return status.error().during(during);
  const auto layout = SlotLayout::of(descriptor);
  const auto parallelism = context_.max_parallelism;
  const auto& key = descriptor.schema.key;
  const auto space = descriptor.schema.namespace_bytes;
  auto stored =
      make_heap_table({layout, GroupMap(context_.key_groups, parallelism), context_.pages,
                       context_.account, cuts_, static_cast<std::uint32_t>(tables_.size())});
  if (!stored) return stored.error().during(during);
  const auto entries_in = [&](Order order) {
    return layout.is_saved_raw() ? raw_encoder(layout, parallelism, context_.key_groups, order)
                                 : dense_encoder(key, space, BlockKind::kEntries, parallelism);
  };
  cuts_.add_table({entries_in(Order::kNone), entries_in(Order::kBySegments),
                   dense_encoder(key, space, BlockKind::kDeletes, parallelism)});
  tables_.push_back({descriptor, *std::move(stored)});
  return tables_.back().stored.get();
}

Status HeapBackend::check(const TableDescriptor& descriptor) const {
  const auto& schema = descriptor.schema;
  const auto& value = descriptor.value;
  if (schema.key.fixed_bytes > kFixedKeyBytesMax || schema.namespace_bytes > kNamespaceBytesMax ||
      !std::has_single_bit(value.alignment) || value.alignment > sizeof(Segment)) {
    return Error{
        Code::kInvalid,
        "keys, namespaces and alignment may have " + std::to_string(kFixedKeyBytesMax) + ", " +
            std::to_string(kNamespaceBytesMax) + " and " + std::to_string(sizeof(Segment)) +
            " bytes, found " + std::to_string(schema.key.fixed_bytes) + ", " +
            std::to_string(schema.namespace_bytes) + " and " + std::to_string(value.alignment)};
  }
  if (!cuts_.open().empty()) return Error{Code::kInvalid, "a cut is open"};
  for (const auto& table : tables_) {
    if (table.descriptor.schema.state_name == schema.state_name)
      return Error{Code::kInvalid, "there is one of that name already"};
  }
  return ok();
}

Status HeapBackend::restore(std::span<const std::reference_wrapper<const ByteSource>> files) {
  std::vector<RestoreTarget> targets;
  for (auto& table : tables_) targets.push_back({&table.descriptor, table.stored.get()});
  return restore_tables({.files = files,
                         .targets = targets,
                         .key_groups = context_.key_groups,
                         .max_parallelism = context_.max_parallelism,
                         .operator_name = context_.operator_name,
                         .check_schema = context_.check_schema});
}

Result<CutTaken> HeapBackend::cut(CheckpointId id, CutKind kind, SnapshotOutput& output) {
  if (cuts_.wants_sweep()) {
    for (auto& table : tables_) table.stored->store().sweep();
    cuts_.swept();
  }
  auto taken = cuts_.take(id, kind, output, context_.account.used_bytes());
  if (!taken) return taken.error().during(attempt("checkpoint"));
  return taken;
}

Result<WalkProgress> HeapBackend::walk(std::uint64_t budget_bytes) {
  const auto saved_by_writes = cuts_.saved_bytes() - saved_at_walk_;
  auto progress = walk_on(budget_bytes - std::min(budget_bytes, saved_by_writes));
  saved_at_walk_ = cuts_.saved_bytes();
  return progress;
}

Result<WalkProgress> HeapBackend::walk_on(std::uint64_t budget_bytes) {
  if (cuts_.open().empty()) return WalkProgress{};
  if (budget_bytes == 0) return WalkProgress{WalkState::kMore};
  OpenCut& cut = *cuts_.open().front();
  while (cut.walk_table != tables_.size()) {
    SegmentStore& store = tables_[cut.walk_table].stored->store();
    switch (store.walk(cut, budget_bytes)) {
      case SegmentStore::Walk::kBudgetSpent:
        return WalkProgress{WalkState::kMore};
      case SegmentStore::Walk::kFailed:
        if (cuts_.is_blocked()) return WalkProgress{WalkState::kBlocked};
        return cuts_.error().error().during(
            attempt("state " + tables_[cut.walk_table].descriptor.schema.state_name));
      case SegmentStore::Walk::kEnd:
        break;
    }
    ++cut.walk_table;
    cut.walk_word = 0;
    cut.walk_deletes = 0;
  }
  const WalkProgress done{WalkState::kDone, cut.id};
  cuts_.close_oldest();
  return done;
}

void HeapBackend::complete(CheckpointId id) {
  cuts_.complete(id);
  for (auto& table : tables_) table.stored->store().forget_deletes();
}

KeyedStatistics HeapBackend::statistics() const {
  KeyedStatistics statistics;
  for (const auto& table : tables_) {
    const SegmentStore& store = table.stored->store();
    statistics.entries += store.entry_count();
    statistics.splits += store.splits();
    statistics.merges += store.merges();
  }
  statistics.held_bytes = context_.account.used_bytes();
  statistics.saved_entries = cuts_.saved_entries();
  statistics.saved_bytes = cuts_.saved_bytes();
  return statistics;
}

std::vector<TableSchema> HeapBackend::tables() const {
  std::vector<TableSchema> schemas;
  for (const auto& table : tables_) schemas.push_back(table.descriptor.schema);
  return schemas;
}

}  // namespace

Result<std::unique_ptr<KeyedBackend>> HeapStateBackend::open(const KeyedBackendContext& context) {
  return std::unique_ptr<KeyedBackend>(std::make_unique<HeapBackend>(context));
}

}  // namespace weir::state::heap
