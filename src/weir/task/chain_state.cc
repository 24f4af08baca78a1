#include "weir/task/chain_state.h"

#include <algorithm>

#include "weir/task/snapshot_upload.h"

namespace weir::task {

state::KeyedBackend* ChainState::backend_of(std::size_t op) {
  for (auto& entry : entries_)
    if (entry.op == op) return entry.backend.get();
  return nullptr;
}

Status ChainState::cut(CheckpointId id, std::shared_ptr<SnapshotUpload> upload) {
  for (auto& entry : entries_) {
    auto taken = entry.backend->cut(id, state::CutKind::kWhole, upload->keyed_output(entry.op));
    if (!taken) {
      abort(id);
      return taken.error();
    }
  }
  if (!entries_.empty()) open_.push_back({id, std::move(upload), entries_.size()});
  return ok();
}

Result<bool> ChainState::walk(std::uint64_t budget_bytes) {
  bool moved = false;
  for (auto& entry : entries_) {
    walked_ = entry.op;
    WEIR_ASSIGN(const auto progress, entry.backend->walk(budget_bytes));
    moved = moved || progress.state == state::WalkState::kMore ||
            progress.state == state::WalkState::kDone;
    if (progress.state == state::WalkState::kDone) finish_backend(progress.done, entry.op);
  }
  return moved;
}

void ChainState::finish_backend(CheckpointId id, std::size_t op) {
  const auto cut =
      std::find_if(open_.begin(), open_.end(), [&](const OpenCut& c) { return c.id == id; });
  WEIR_CHECK(cut != open_.end());
  cut->upload->end_keyed(op);
  if (--cut->backends_left != 0) return;
  cut->upload->seal();
  open_.erase(cut);
}

bool ChainState::abort(CheckpointId id) {
  for (auto& entry : entries_) entry.backend->abort(id);
  return std::erase_if(open_, [&](const OpenCut& cut) { return cut.id == id; }) != 0;
}

void ChainState::complete(CheckpointId id) {
  for (auto& entry : entries_) entry.backend->complete(id);
}

}  // namespace weir::task
