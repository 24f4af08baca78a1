#include "weir/state/heap/internal/first_entries.h"

namespace weir::state::heap {

KeyBlock FirstEntries::copy(SegmentStore& store) {
  keys_.clear();
  namespaces_.clear();
  count_ = 0;
  begins_[0] = 0;
  const Directory& directory = store.directory();
  const SlotLayout& layout = store.layout();
  for (std::uint64_t word = first_word_; word < directory.end() && count_ != kKeyBlock;) {
    const auto position = Position::of_word(word);
    Segment* segment = directory.find(position);
    const bool is_first = count_ == 0;
    for_each_slot(segment->used(), [&](std::uint32_t slot) {
      if (count_ != kKeyBlock) copy_slot(layout, store.at({segment, slot}));
    });
    if (is_first && count_ != 0) first_word_ = word;
    word = directory.extent(position, segment->depth()).end();
  }
  KeyBlock block{count_, hashes_.data()};
  if (layout.keys == SlotLayout::Keys::kVariable) {
    for (std::uint32_t i = 0; i != count_; ++i)
      views_[i] = text_of({keys_.data() + begins_[i], begins_[i + 1] - begins_[i]});
    block.variable = views_.data();
  } else {
    block.fixed = keys_.data();
  }
  if (layout.namespace_bytes != 0) block.namespaces = namespaces_.data();
  return block;
}

void FirstEntries::copy_slot(const SlotLayout& layout, const std::byte* slot) {
  const auto key = bytes_of(layout.key_of(slot));
  keys_.insert(keys_.end(), key.begin(), key.end());
  const auto space = layout.namespace_of(slot);
  namespaces_.insert(namespaces_.end(), space.begin(), space.end());
  hashes_[count_++] = layout.key_hash_of(slot);
  begins_[count_] = keys_.size();
}

}  // namespace weir::state::heap
