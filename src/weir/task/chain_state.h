#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/memory/account.h"
#include "weir/memory/staging_pool.h"
#include "weir/state/api/keyed_backend.h"

namespace weir::task {

class SnapshotUpload;

// The keyed state of a chain's operators, and the cuts through it.
//
//   Thread  open() on the I/O pool, the rest on the Subtask's
class ChainState {
 public:
  struct Entry {
    std::size_t op;  // in the chain
    std::unique_ptr<memory::Account> account;
    std::unique_ptr<state::KeyedBackend> backend;
  };

  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  state::KeyedBackend* backend_of(std::size_t op);
  bool is_empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }

  // Takes the cut of every backend; their entries go to `upload`.
  Status cut(CheckpointId id, std::shared_ptr<SnapshotUpload> upload);
  // Saves up to about so many bytes per backend of the open cuts. Tells the uploads of backends
  // that are done.
  Result<bool> walk(std::uint64_t budget_bytes);
  // The operator whose state walk() saved last: an error is of that one.
  std::size_t walked() const { return walked_; }
  // Whether walk() has something left to do.
  bool is_walking() const { return !open_.empty(); }
  // Whether the cut was still open: its upload has not been sealed.
  bool abort(CheckpointId id);
  void complete(CheckpointId id);

 private:
  struct OpenCut {
    CheckpointId id;
    std::shared_ptr<SnapshotUpload> upload;
    std::size_t backends_left;
  };
  void finish_backend(CheckpointId id, std::size_t op);

  std::vector<Entry> entries_;
  std::vector<OpenCut> open_;  // oldest first
  std::size_t walked_ = 0;
};

}  // namespace weir::task
