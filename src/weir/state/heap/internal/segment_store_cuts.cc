// What segments owe to cuts, and how it is saved.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "weir/state/heap/internal/copy_slots.h"
#include "weir/state/heap/internal/dense_entry.h"
#include "weir/state/heap/internal/segment_store.h"

namespace weir::state::heap {

bool SegmentStore::prepare(SlotRef ref) {
  if (!bring_up_to(ref.segment, cuts_.newest())) return false;
  return save_pending(ref.segment, ref.segment->pending() & slot_bit(ref.slot), Stream::kWrites);
}

// What it costs to be asked for one slot is shared by the block: one room for all of them, one cut.
std::uint64_t SegmentStore::prepare_block(Segment* const* segments, const std::uint8_t* slots,
                                          std::uint64_t owed) {
  OpenCut* cut = cuts_.find_newest();
  if (cut == nullptr || !layout_.is_saved_raw()) {
    for (; owed != 0; owed &= owed - 1) {
      const auto i = first_slot(owed);
      if (!prepare({segments[i], slots[i]})) break;
    }
    return owed;
  }
  // Before any room is taken: what an older cut needs may send half-filled chunks.
  for (auto rest = owed; rest != 0; rest &= rest - 1)
    if (Segment* segment = segments[first_slot(rest)]; segment->cut() != cut->number)
      if (!bring_up_to(segment, cut->number)) return owed;
  switch (layout_.stride) {
    case 16:
      return save_block(*cut, segments, slots, owed, CopySlot<16>());
    case 64:
      return save_block(*cut, segments, slots, owed, CopySlot<64>());
    default:
      return save_block(*cut, segments, slots, owed, [this](std::byte* to, const std::byte* from) {
        copy_slots(to, from, layout_.stride);
      });
  }
}

template <class Copy>
std::uint64_t SegmentStore::save_block(OpenCut& cut, Segment* const* segments,
                                       const std::uint8_t* slots, std::uint64_t owed, Copy copy) {
  const std::size_t stride = layout_.stride;
  while (owed != 0) {
    auto room = static_cast<std::uint32_t>(std::popcount(owed));
    std::byte* to = cuts_.reserve(cut, table_, Stream::kWrites, stride, room);
    if (to == nullptr) {
      stage_failed();
      return owed;
    }
    for (; owed != 0 && room != 0; owed &= owed - 1) {
      const auto i = first_slot(owed);
      Segment* segment = segments[i];
      const auto bit = slot_bit(slots[i]);
      if ((segment->pending() & bit) == 0) continue;  // Two keys of the block are the same.
      copy(to, at({segment, slots[i]}));
      segment->forget_pending(bit);
      to += stride;
      --room;
    }
    cuts_.give_back(cut, table_, Stream::kWrites, stride, room);
  }
  return 0;
}

// Cut by cut: each older one takes what it needs before the next may count the segment as its own.
bool SegmentStore::bring_up_to(Segment* segment, CutNumber number) {
  if (segment->cut() == number) return true;
  for (const auto& cut : cuts_.open()) {
    if (is_before(number, cut->number)) break;
    if (!is_before(segment->cut(), cut->number)) continue;
    if (!save_pending(segment, segment->pending(), Stream::kWrites)) return false;
    // Only changes since the base are known to be in `dirty`; otherwise another cut has taken them.
    const bool knows_changes = cut->kind == CutKind::kDelta && segment->cut() == cut->base;
    const std::uint64_t needed = knows_changes ? segment->dirty() : segment->used();
    segment->set_cut(cut->number, needed);
    segment->forget_dirty(kAllSlots);
  }
  if (segment->cut() == number) return true;
  if (!save_pending(segment, segment->pending(), Stream::kWrites)) return false;
  segment->set_cut(number, 0);
  return true;
}

bool SegmentStore::save_pending(Segment* segment, std::uint64_t slots, Stream stream) {
  if (slots == 0) return true;
  OpenCut* cut = cuts_.find(segment->cut());
  if (cut == nullptr) {  // It was aborted.
    segment->forget_pending(slots);
    return true;
  }
  return save(*cut, segment, slots, stream);
}

bool SegmentStore::save(OpenCut& cut, Segment* segment, std::uint64_t slots, Stream stream) {
  if (!layout_.is_saved_raw()) return save_dense(cut, segment, slots, stream);
  switch (layout_.stride) {
    case 16:
      return save_slots(cut, segment, slots, stream, CopySlot<16>());
    case 64:
      return save_slots(cut, segment, slots, stream, CopySlot<64>());
    default:
      return save_runs(cut, segment, slots, stream);
  }
}

// One room for all, where a chunk has it.
template <class Copy>
bool SegmentStore::save_slots(OpenCut& cut, Segment* segment, std::uint64_t slots, Stream stream,
                              Copy copy) {
  const std::size_t stride = layout_.stride;
  while (slots != 0) {
    auto room = static_cast<std::uint32_t>(std::popcount(slots));
    std::byte* to = cuts_.reserve(cut, table_, stream, stride, room);
    if (to == nullptr) return stage_failed();
    std::uint64_t saved = 0;
    for (; room != 0; --room, slots &= slots - 1, to += stride) {
      const auto slot = first_slot(slots);
      copy(to, at({segment, slot}));
      saved |= slot_bit(slot);
    }
    segment->forget_pending(saved);
  }
  return true;
}

// Neighbours, of which a walk finds many, in one copy.
bool SegmentStore::save_runs(OpenCut& cut, Segment* segment, std::uint64_t slots, Stream stream) {
  const std::size_t stride = layout_.stride;
  while (slots != 0) {
    const auto first = first_slot(slots);
    auto run = static_cast<std::uint32_t>(std::countr_one(slots >> first));
    std::byte* to = cuts_.reserve(cut, table_, stream, stride, run);
    if (to == nullptr) return stage_failed();
    copy_slots(to, at({segment, first}), run * stride);
    const std::uint64_t saved = (slot_bit(run) - 1) << first;
    segment->forget_pending(saved);
    slots &= ~saved;
  }
  return true;
}

bool SegmentStore::save_dense(OpenCut& cut, Segment* segment, std::uint64_t slots, Stream stream) {
  for (; slots != 0; slots &= slots - 1) {
    const auto slot = first_slot(slots);
    scratch_.clear();
    append_dense_entry(layout_, at({segment, slot}), scratch_);
    if (!stage(cut, stream, scratch_)) return false;
    segment->forget_pending(slot_bit(slot));
  }
  return true;
}

bool SegmentStore::stage(OpenCut& cut, Stream stream, ByteView bytes) {
  std::uint32_t one = 1;
  std::byte* to = cuts_.reserve(cut, table_, stream, bytes.size(), one);
  if (to == nullptr) return stage_failed();
  std::memcpy(to, bytes.data(), bytes.size());
  return true;
}

bool SegmentStore::stage_failed() {
  if (!cuts_.is_blocked()) error_ = cuts_.error();
  return false;
}

SegmentStore::Walk SegmentStore::walk(OpenCut& cut, std::uint64_t& budget) {
  if (cut.kind == CutKind::kDelta && !walk_deletes(cut, budget)) return Walk::kFailed;
  // It is asked after each move, and what it looks at only to find no room for it costs the move its caches.
  if (layout_.is_saved_raw() && cuts_.is_blocked() &&
      !cuts_.has_room(cut, table_, Stream::kWalk, layout_.stride)) {
    stage_failed();
    return Walk::kFailed;
  }
  std::array<Visit, kVisitsAhead> visits;
  while (cut.walk_word < directory_.end()) {
    if (budget == 0) return Walk::kBudgetSpent;
    const auto count = visit_ahead(cut, budget, visits);
    if (count == 0) return Walk::kFailed;
    for (const Visit& visit : std::span(visits).first(count)) {
      if (!save(cut, visit.segment, visit.owed, Stream::kWalk)) return Walk::kFailed;
      budget -= std::min(budget, cost_of(visit));
      cut.walk_word = visit.end;
    }
  }
  return Walk::kEnd;
}

// The next segments of a walk, brought up to its cut; how many there was room for. As with a block of look-ups, one pass
// asks for the lines that the next one reads.
std::uint32_t SegmentStore::visit_ahead(const OpenCut& cut, std::uint64_t budget,
                                        std::array<Visit, kVisitsAhead>& visits) {
  std::uint32_t count = 0;
  for (auto word = cut.walk_word; word < directory_.end() && count != kVisitsAhead; ++count) {
    const auto position = Position::of_word(word);
    Segment* segment = directory_.find(position);
    __builtin_prefetch(segment, 1);
    word = directory_.end_of_segment(position);
    visits[count] = {segment, word, 0};
  }
  for (std::uint32_t i = 0; i != count; ++i) {
    Visit& visit = visits[i];
    if (budget == 0) return i;
    if (is_before(visit.segment->cut(), cut.number) && !bring_up_to(visit.segment, cut.number))
      return i;
    // A segment that has heard of a later cut has given this one what it needs.
    if (visit.segment->cut() == cut.number) visit.owed = visit.segment->pending();
    for_each_slot(visit.owed, [&](std::uint32_t slot) {
      __builtin_prefetch(at({visit.segment, slot}));
    });
    budget -= std::min(budget, cost_of(visit));
  }
  return count;
}

// In bytes: reading its header is as dear as copying that much.
std::uint64_t SegmentStore::cost_of(const Visit& visit) const {
  constexpr std::uint64_t kHeaderBytes = 512;
  return kHeaderBytes + std::uint64_t{layout_.stride} * std::popcount(visit.owed);
}

bool SegmentStore::walk_deletes(OpenCut& cut, std::uint64_t& budget) {
  std::size_t place = 0;
  for (const auto& piece : deleted_.pieces()) {
    if (!is_before(cut.base, piece.cut) || is_before(cut.number, piece.cut)) continue;
    if (place++ < cut.walk_deletes) continue;
    if (!stage(cut, Stream::kDeletes, piece.keys)) return false;
    budget -= std::min<std::uint64_t>(budget, piece.keys.size());
    ++cut.walk_deletes;
  }
  return true;
}

void SegmentStore::sweep() {
  for (std::uint64_t word = 0; word < directory_.end();) {
    const auto position = Position::of_word(word);
    Segment* segment = directory_.find(position);
    segment->set_cut(cuts_.newest(), 0);
    word = directory_.extent(position, segment->depth()).end();
  }
  deleted_.forget_all();
}

void SegmentStore::forget_deletes() {
  if (const auto base = cuts_.oldest_base()) deleted_.forget_until(*base);
}

}  // namespace weir::state::heap
