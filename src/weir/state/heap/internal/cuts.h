#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/memory/staging_pool.h"
#include "weir/state/api/keyed_backend.h"
#include "weir/state/api/staged_block.h"
#include "weir/state/heap/internal/segment.h"

namespace weir::state::heap {

// Why an entry is saved. Each has chunks of its own, so that those of the walk stay in order of key
// group.
enum class Stream : std::uint8_t { kWrites, kWalk, kDeletes };

// A chunk that is being filled.
struct Stage {
  memory::StagingChunk chunk;
  std::size_t used = 0;
};

// A cut that is not done: some segments still have entries that it needs.
struct OpenCut {
  CheckpointId id;
  CutNumber number = 0;
  CutKind kind = CutKind::kWhole;
  CutNumber base = 0;  // of a delta: the cut whose later changes it holds
  SnapshotOutput* output = nullptr;
  std::vector<std::array<Stage, 3>> stages;  // by table, by stream

  // How far the walk has come.
  std::uint32_t walk_table = 0;
  std::uint64_t walk_word = 0;
  std::size_t walk_deletes = 0;
};

// The cuts through all tables of a backend, and the chunks in which they save.
//
//   Thread  the Subtask's
class Cuts {
 public:
  Cuts(memory::StagingPool& pool, memory::RoomListener& listener, std::uint64_t entry_bytes_max,
       bool tracks_changes);
  ~Cuts();
  Cuts(const Cuts&) = delete;
  Cuts& operator=(const Cuts&) = delete;

  // Who makes the blocks of a table dense, by stream.
  using Encoders = std::array<std::shared_ptr<const BlockEncoder>, 3>;
  // The next table.
  void add_table(Encoders encoders);

  // The number of the newest cut ever taken. A segment with another number has not been written
  // since.
  CutNumber newest() const { return newest_; }
  bool tracks_changes() const { return tracks_changes_; }
  // Oldest first.
  const std::vector<std::unique_ptr<OpenCut>>& open() const { return open_; }
  OpenCut* find(CutNumber number) const;
  // The newest one, while it is open.
  OpenCut* find_newest() const {
    return open_.empty() || open_.back()->number != newest_ ? nullptr : open_.back().get();
  }
  // Cuts have been taken without one that visited all segments for so long that numbers would soon
  // repeat: all segments must be told that older cuts are nothing any more.
  bool wants_sweep() const;
  void swept();

  // Of a state that takes about `state_bytes` of memory.
  Result<CutTaken> take(CheckpointId id, CutKind kind, SnapshotOutput& output,
                        std::uint64_t state_bytes);
  // Everything of the oldest open cut has been saved.
  void close_oldest();
  void abort(CheckpointId id);
  void complete(CheckpointId id);
  // Changes up to this cut belong to no future or open delta.
  std::optional<CutNumber> oldest_base() const;
  // Changes since the newest cut are not known any more: only a later one can be a base.
  void forget_base();

  // Room for `count` entries of `bytes` each, or for as many of them as lie in one chunk: `count` is how many. Null where
  // the staging area is full (is_blocked()) or an entry is over a limit (error()).
  std::byte* reserve(OpenCut& cut, std::uint32_t table, Stream stream, std::size_t bytes,
                     std::uint32_t& count) {
    Stage& stage = cut.stages[table][static_cast<std::size_t>(stream)];
    std::size_t room = stage.chunk.size() - stage.used;
    if (room < bytes) [[unlikely]] {
      if (!renew(cut, table, stream, bytes)) return nullptr;
      room = stage.chunk.size();
    }
    if (room < count * bytes) [[unlikely]]
      count = static_cast<std::uint32_t>(room / bytes);
    std::byte* at = stage.chunk.data() + stage.used;
    stage.used += count * bytes;
    saved_entries_ += count;
    saved_bytes_ += count * bytes;
    return at;
  }

  // Whether the stream has room for an entry of `bytes`; takes a chunk where it has not.
  bool has_room(OpenCut& cut, std::uint32_t table, Stream stream, std::size_t bytes) {
    const Stage& stage = cut.stages[table][static_cast<std::size_t>(stream)];
    return stage.chunk.size() - stage.used >= bytes || renew(cut, table, stream, bytes);
  }

  // Gives the last `count` of them back.
  void give_back(OpenCut& cut, std::uint32_t table, Stream stream, std::size_t bytes,
                 std::uint32_t count) {
    cut.stages[table][static_cast<std::size_t>(stream)].used -= count * bytes;
    saved_entries_ -= count;
    saved_bytes_ -= count * bytes;
  }

  bool is_blocked() const { return is_blocked_; }
  const Status& error() const { return error_; }
  std::uint64_t saved_entries() const { return saved_entries_; }
  std::uint64_t saved_bytes() const { return saved_bytes_; }

 private:
  struct Past {
    CheckpointId id;
    CutNumber number;
  };

  bool renew(OpenCut& cut, std::uint32_t table, Stream stream, std::size_t bytes);
  void hand_over(OpenCut& cut, std::uint32_t table, Stream stream);
  void hand_over_all(OpenCut& cut);

  memory::StagingPool& pool_;
  memory::RoomListener& listener_;
  const std::uint64_t entry_bytes_max_;
  const bool tracks_changes_;

  std::vector<Encoders> tables_;
  CutNumber newest_ = 0;
  CutNumber swept_ = 0;  // every segment has this number or a later one
  std::vector<std::unique_ptr<OpenCut>> open_;
  std::vector<Past> done_;               // and neither complete nor aborted
  std::optional<Past> base_;             // the newest that is complete
  std::optional<CutNumber> first_base_;  // earlier cuts cannot be one

  bool is_blocked_ = false;
  Status error_;
  std::uint64_t saved_entries_ = 0;
  std::uint64_t saved_bytes_ = 0;
};

}  // namespace weir::state::heap
