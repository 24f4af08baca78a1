#include "weir/state/heap/internal/segment_store.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "weir/state/heap/internal/dense_entry.h"

namespace weir::state::heap {
namespace {

// What the language's heap adds to a small allocation.
constexpr std::uint64_t kAllocationBytes = 16;
constexpr std::size_t kKeyAlignment = alignof(std::max_align_t);
constexpr std::uint32_t kQuarter = kSlots / 4;

}  // namespace

SegmentStore::SegmentStore(const SlotLayout& layout, const GroupMap& groups,
                           memory::PageSource& pages, memory::Account& account, Cuts& cuts,
                           std::uint32_t table)
    : layout_(layout),
      groups_(groups),
      table_(table),
      tracks_changes_(cuts.tracks_changes()),
      account_(account),
      cuts_(cuts),
      blocks_(pages, account, layout.segment_bytes()),
      directory_(groups.group_count(), pages, account),
      deleted_(account) {}

SegmentStore::~SegmentStore() {
  if (layout_.owns_nothing() || !directory_.has_begun()) return;
  for (std::uint64_t word = 0; word < directory_.end();) {
    const auto position = Position::of_word(word);
    Segment* segment = directory_.find(position);
    for_each_slot(segment->used(), [&](std::uint32_t slot) { destroy(at({segment, slot})); });
    word = directory_.extent(position, segment->depth()).end();
  }
}

Status SegmentStore::begin() {
  WEIR_ASSIGN(void* const block, blocks_.take());
  auto* segment = static_cast<Segment*>(block);
  segment->reset(cuts_.newest(), 0);
  directory_.begin(segment);
  return ok();
}

SlotRef SegmentStore::add(Position position, std::uint8_t tag) {
  for (;;) {
    Segment* segment = directory_.find(position);
    if (!bring_up_to(segment, cuts_.newest())) return {};
    if (const auto free = segment->free(); free != 0) {
      const auto slot = first_slot(free);
      segment->tags[slot] = tag;
      if (tracks_changes_) segment->mark_dirty(slot_bit(slot));
      ++entry_count_;
      return {segment, slot};
    }
    if (!split(segment, position)) return {};
  }
}

bool SegmentStore::split(Segment* segment, Position inside) {
  if (!save_pending(segment, segment->pending(), Stream::kWrites)) return false;
  const auto depth = segment->depth();
  if (auto status = directory_.make_room(inside, depth); !status) {
    error_ = status;
    return false;
  }
  const Extent whole = directory_.extent(inside, depth);
  const std::uint64_t border = whole.first + whole.width / 2;
  if (!directory_.is_inside({border, whole.width / 2})) {
    segment->set_depth(depth + 1);
    directory_.split(inside, depth, nullptr);
    return true;
  }
  auto block = blocks_.take();
  if (!block) {
    error_ = block.error();
    return false;
  }
  auto* upper = static_cast<Segment*>(*block);
  upper->reset(segment->cut(), depth + 1);
  segment->set_depth(depth + 1);
  const std::uint64_t dirty = segment->dirty();
  std::uint32_t moved = 0;
  for_each_slot(segment->used(), [&](std::uint32_t slot) {
    std::byte* from = at({segment, slot});
    if (position_at(from).word() < border) return;
    move_slot(from, at({upper, moved}));
    upper->tags[moved] = segment->tags[slot];
    segment->tags[slot] = 0;
    if (dirty & slot_bit(slot)) upper->mark_dirty(slot_bit(moved));
    ++moved;
  });
  segment->forget_dirty(segment->free());
  directory_.split(inside, depth, upper);
  ++version_;
  ++splits_;
  return true;
}

void SegmentStore::erase(SlotRef ref) {
  const std::uint64_t bit = slot_bit(ref.slot);
  WEIR_DCHECK((ref.segment->pending() & bit) == 0);
  std::byte* slot = at(ref);
  if (tracks_changes_) {
    scratch_.clear();
    append_dense_key(layout_, slot, scratch_);
    if (!deleted_.add(scratch_, cuts_.newest())) cuts_.forget_base();
  }
  if (!layout_.owns_nothing()) destroy(slot);
  ref.segment->tags[ref.slot] = 0;
  ref.segment->forget_dirty(bit);
  --entry_count_;
}

void SegmentStore::merge_around(Position inside) {
  while (try_merge(inside)) ++version_;
}

bool SegmentStore::try_merge(Position inside) {
  Segment* segment = directory_.find(inside);
  const auto depth = segment->depth();
  if (depth == 0 || segment->count() >= kQuarter) return false;
  const Extent own = directory_.extent(inside, depth);
  const Extent buddy_extent{own.first ^ own.width, own.width};
  if (!directory_.is_inside(buddy_extent)) {
    segment->set_depth(depth - 1);
    directory_.merge(inside, depth, segment);
    return true;
  }
  Segment* buddy = directory_.find(Position::of_word(buddy_extent.first));
  if (buddy->depth() != depth || buddy->count() >= kQuarter) return false;
  // Merging can wait; room in the staging area is not worth waiting for.
  for (Segment* half : {segment, buddy}) {
    if (!bring_up_to(half, cuts_.newest())) return false;
    if (!save_pending(half, half->pending(), Stream::kWrites)) return false;
  }
  const std::uint64_t dirty = buddy->dirty();
  for_each_slot(buddy->used(), [&](std::uint32_t slot) {
    const auto to = first_slot(segment->free());
    move_slot(at({buddy, slot}), at({segment, to}));
    segment->tags[to] = buddy->tags[slot];
    if (dirty & slot_bit(slot)) segment->mark_dirty(slot_bit(to));
  });
  segment->set_depth(depth - 1);
  directory_.merge(inside, depth, segment);
  blocks_.give_back(buddy);
  ++merges_;
  return true;
}

std::optional<SegmentStore::Outside> SegmentStore::take_outside(std::string_view key) {
  Outside outside;
  if (layout_.keys == SlotLayout::Keys::kVariable && key.size() > InlineKey::kInlineBytes) {
    outside.long_key = static_cast<char*>(take_memory(key.size(), kKeyAlignment));
    if (outside.long_key == nullptr) return {};
    outside.long_key_bytes = static_cast<std::uint32_t>(key.size());
    std::memcpy(outside.long_key, key.data(), key.size());
  }
  if (layout_.is_boxed) {
    outside.box = take_memory(layout_.value.size, layout_.value.alignment);
    if (outside.box == nullptr) {
      give_back(outside);
      return {};
    }
  }
  return outside;
}

void SegmentStore::give_back(const Outside& outside) {
  if (outside.long_key != nullptr) {
    ::operator delete (outside.long_key, std::align_val_t{kKeyAlignment});
    account_.release(outside.long_key_bytes + kAllocationBytes);
  }
  if (outside.box != nullptr) {
    ::operator delete (outside.box, std::align_val_t{layout_.value.alignment});
    account_.release(layout_.value.size + kAllocationBytes);
  }
}

void* SegmentStore::take_memory(std::size_t bytes, std::size_t alignment) {
  if (auto status = account_.charge(bytes + kAllocationBytes); !status) {
    error_ = status;
    return nullptr;
  }
  void* memory = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  if (memory == nullptr) {
    account_.release(bytes + kAllocationBytes);
    error_ = Error{Code::kExhausted, "keeping an entry: the machine has no memory, wanted " +
                                         std::to_string(bytes) + " bytes"};
  }
  return memory;
}

void SegmentStore::move_slot(std::byte* from, std::byte* to) {
  if (layout_.is_moved_as_bytes()) {
    std::memcpy(to, from, layout_.stride);
    return;
  }
  std::memcpy(to, from, layout_.key_bytes + layout_.namespace_bytes);
  layout_.value.relocate(from + layout_.value_at, to + layout_.value_at);
}

void SegmentStore::destroy(std::byte* slot) {
  void* value = layout_.value_of(slot);
  if (!layout_.value.is_flat) {
    account_.release(layout_.value.heap_bytes(value));
    layout_.value.destroy(value);
  }
  Outside outside;
  if (layout_.is_boxed) outside.box = value;
  if (layout_.keys == SlotLayout::Keys::kVariable) {
    const auto key = InlineKey::at(slot);
    if (key.is_long()) {
      outside.long_key = const_cast<char*>(key.pointer());
      outside.long_key_bytes = key.length();
    }
  }
  give_back(outside);
}

}  // namespace weir::state::heap
