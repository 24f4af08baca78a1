#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "weir/base/result.h"
#include "weir/memory/block_pool.h"
#include "weir/state/heap/internal/cuts.h"
#include "weir/state/heap/internal/deleted_keys.h"
#include "weir/state/heap/internal/directory.h"
#include "weir/state/heap/internal/position.h"
#include "weir/state/heap/internal/segment.h"
#include "weir/state/heap/internal/slot_layout.h"

namespace weir::state::heap {

// One slot of one segment.
struct SlotRef {
  Segment* segment = nullptr;
  std::uint32_t slot = 0;

  explicit operator bool() const { return segment != nullptr; }
  friend bool operator==(SlotRef, SlotRef) = default;
};

// The segments of one table: how they split and merge, and what each still owes to open cuts.
//
// A segment remembers the newest cut that it has heard of. When it is to be written and there is a
// newer one, it is first brought up to it: what an older open cut still needs is saved, and what
// the newest needs becomes pending. A pending entry is saved before it is written, moved or erased,
// or when the walk comes by. So an image holds each entry as it was at the cut, once.
//
//   Errors  a method that must save answers false where there was no room in the staging area
//           (cuts.is_blocked()) or an error (error()); nothing is lost then and it may be called
//           again
//   Thread  the Subtask's
class SegmentStore {
 public:
  SegmentStore(const SlotLayout& layout, const GroupMap& groups, memory::PageSource& pages,
               memory::Account& account, Cuts& cuts, std::uint32_t table);
  ~SegmentStore();
  SegmentStore(const SegmentStore&) = delete;
  SegmentStore& operator=(const SegmentStore&) = delete;

  // Takes the first segment. Before anything else.
  Status begin();

  const SlotLayout& layout() const { return layout_; }
  const GroupMap& groups() const { return groups_; }
  const Directory& directory() const { return directory_; }
  std::byte* at(SlotRef ref) const {
    return ref.segment->slots() + std::size_t{ref.slot} * layout_.stride;
  }

  // Makes a slot ready to be written, where is_ready() is not so already.
  bool prepare(SlotRef ref);
  // The same for a block of look-ups, those with a bit in `owed`: the slots `slots[i]` of `segments[i]`. Returns the bits
  // of those that are still owed.
  std::uint64_t prepare_block(Segment* const* segments, const std::uint8_t* slots,
                              std::uint64_t owed);
  bool is_ready(SlotRef ref) const {
    const std::uint64_t newest = static_cast<std::uint64_t>(cuts_.newest()) << kSlots;
    return ((ref.segment->pending_and_cut ^ newest) & (~kAllSlots | slot_bit(ref.slot))) == 0;
  }
  bool has_open_cut() const { return !cuts_.open().empty(); }
  bool tracks_changes() const { return tracks_changes_; }

  // A slot for an entry that is not there yet; its tag is set, its bytes are for the caller to
  // fill. Splits moved other entries where version() has changed.
  SlotRef add(Position position, std::uint8_t tag);
  // Forgets an entry that was made ready to be written. merge_around() may follow.
  void erase(SlotRef ref);
  // Joins the segment at `inside` with its buddy while both are under a quarter full.
  void merge_around(Position inside);
  // Goes up when entries have moved to other places.
  std::uint64_t version() const { return version_; }

  // Saves up to about `budget` bytes of what the cut needs of this table; the rest of the budget is
  // left in it.
  enum class Walk : std::uint8_t { kBudgetSpent, kFailed, kEnd };
  Walk walk(OpenCut& cut, std::uint64_t& budget);
  // All segments hear of the newest cut and owe nothing to older ones.
  void sweep();
  void forget_deletes();
  void expect(std::uint64_t entries) { directory_.expect(entries / kSlots); }

  std::uint64_t entry_count() const { return entry_count_; }
  std::uint64_t splits() const { return splits_; }
  std::uint64_t merges() const { return merges_; }
  std::uint64_t segment_bytes() const { return blocks_.held_bytes(); }
  const Status& error() const { return error_; }
  void set_error(Status error) { error_ = std::move(error); }

  // What an entry keeps outside its slot, charged to the account.
  struct Outside {
    char* long_key = nullptr;
    std::uint32_t long_key_bytes = 0;
    void* box = nullptr;
  };
  // For an entry with that key; nothing, with error(), where there is no memory.
  std::optional<Outside> take_outside(std::string_view key);
  void give_back(const Outside& outside);
  memory::Account& account() { return account_; }

 private:
  bool bring_up_to(Segment* segment, CutNumber number);
  bool save_pending(Segment* segment, std::uint64_t slots, Stream stream);
  bool save(OpenCut& cut, Segment* segment, std::uint64_t slots, Stream stream);
  template <class Copy>
  bool save_slots(OpenCut& cut, Segment* segment, std::uint64_t slots, Stream stream, Copy copy);
  bool save_runs(OpenCut& cut, Segment* segment, std::uint64_t slots, Stream stream);
  template <class Copy>
  std::uint64_t save_block(OpenCut& cut, Segment* const* segments, const std::uint8_t* slots,
                           std::uint64_t owed, Copy copy);
  bool save_dense(OpenCut& cut, Segment* segment, std::uint64_t slots, Stream stream);
  bool stage_failed();
  bool stage(OpenCut& cut, Stream stream, ByteView bytes);
  // What a walk looks at together: a segment, where in the directory it ends, which of its entries are to be saved.
  struct Visit {
    Segment* segment;
    std::uint64_t end;
    std::uint64_t owed;
  };
  static constexpr std::uint32_t kVisitsAhead = 8;
  std::uint32_t visit_ahead(const OpenCut& cut, std::uint64_t budget,
                            std::array<Visit, kVisitsAhead>& visits);
  std::uint64_t cost_of(const Visit& visit) const;
  bool walk_deletes(OpenCut& cut, std::uint64_t& budget);
  bool split(Segment* segment, Position inside);
  bool try_merge(Position inside);
  void move_slot(std::byte* from, std::byte* to);
  void destroy(std::byte* slot);
  void* take_memory(std::size_t bytes, std::size_t alignment);
  Position position_at(std::byte* slot) const {
    return groups_.position_of(layout_.placing_hash_of(slot));
  }

  const SlotLayout layout_;
  const GroupMap groups_;
  const std::uint32_t table_;
  const bool tracks_changes_;
  memory::Account& account_;
  Cuts& cuts_;
  memory::BlockPool blocks_;
  Directory directory_;
  DeletedKeys deleted_;
  std::uint64_t entry_count_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t splits_ = 0;
  std::uint64_t merges_ = 0;
  Status error_;
  Bytes scratch_;
};

// Calls f(slot number) for every bit.
template <class F>
void for_each_slot(std::uint64_t bits, F f) {
  for (; bits != 0; bits &= bits - 1) f(first_slot(bits));
}

}  // namespace weir::state::heap
