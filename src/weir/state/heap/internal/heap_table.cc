#include "weir/state/heap/internal/heap_table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "weir/state/heap/internal/first_entries.h"
#include "weir/state/heap/internal/key_policies.h"

namespace weir::state::heap {
namespace {

// Below that a table lies in the near caches and looking up in stages only costs.
constexpr std::uint64_t kStagedBytesMin = std::uint64_t{1} << 20;

constexpr std::uint32_t kNoSlot = kSlots;

enum class Use : std::uint8_t { kOpen, kWrite };

template <class Keys, bool kNamespaced>
class HeapTable final : public StoredTable {
 public:
  explicit HeapTable(const HeapTableParts& parts)
      : store_(parts.layout, parts.groups, parts.pages, parts.account, parts.cuts, parts.table),
        layout_(store_.layout()),
        keys_(layout_.key_bytes) {}
  ~HeapTable() override { settle(); }

  SegmentStore& store() override { return store_; }

  std::uint32_t open(const KeyBlock& block, void** places, std::uint64_t& is_new) override {
    return open_as<Use::kOpen>(block, places, is_new);
  }
  std::uint32_t open_to_write(const KeyBlock& block, void** places,
                              std::uint64_t& is_new) override {
    return open_as<Use::kWrite>(block, places, is_new);
  }
  void close(const KeyBlock& block, std::uint32_t n, std::uint64_t written,
             std::uint64_t absent) override;
  void find(const KeyBlock& block, const void** places) override;
  KeyBlock first_entries() override {
    settle();
    return first_entries_.copy(store_);
  }
  std::uint64_t entry_count() const override { return store_.entry_count(); }
  void expect(std::uint64_t entries) override { store_.expect(entries); }
  bool has_room() const override { return !is_blocked_; }
  Status error() const override { return store_.error(); }

 private:
  // Memory that values of the last open() own outside their slots, as it was then.
  struct Measured {
    void* place;
    std::size_t heap_bytes;
  };

  template <Use kUse>
  std::uint32_t open_as(const KeyBlock& block, void** places, std::uint64_t& is_new);

  void begin_block(const KeyBlock& block);
  void look_ahead(std::uint32_t count);
  std::uint32_t prepare_ahead(std::uint32_t count);
  SlotRef look_up(std::uint32_t i) const;
  SlotRef looked_up(std::uint32_t i) const;
  std::uint32_t probe(Segment* segment, std::uint32_t i) const;
  bool is_entry(std::byte* slot, std::uint32_t i) const;
  SlotRef insert(const KeyBlock& block, std::uint32_t i);
  bool is_again(const KeyBlock& block, std::uint32_t i, std::uint64_t among) const;
  bool loses_its_value(const KeyBlock& block, std::uint32_t i, std::uint32_t n,
                       std::uint64_t absent) const;
  void measure(const KeyBlock& block, void** places, std::uint32_t n);
  void settle();
  bool is_staged() const { return store_.segment_bytes() >= kStagedBytesMin; }

  SegmentStore store_;
  const SlotLayout& layout_;
  Keys keys_;

  // Of the block at hand.
  std::uint64_t version_ = 0;
  std::uint64_t new_ = 0;
  bool is_blocked_ = false;
  const std::byte* namespaces_ = nullptr;
  std::array<std::uint32_t, kKeyBlock> groups_;
  std::array<std::uint32_t, kKeyBlock> spreads_;
  std::array<std::uint8_t, kKeyBlock> tags_;
  std::array<std::uint64_t, kKeyBlock> hashes_;     // mixed with the namespaces
  std::array<Segment*, kKeyBlock> segments_;        // looked up ahead
  std::array<std::uint8_t, kKeyBlock> candidates_;  // the first slot there whose tag matches
  std::array<SlotRef, kKeyBlock> opened_;
  std::vector<Measured> measured_;

  FirstEntries first_entries_;
};

template <class Keys, bool kNamespaced>
void HeapTable<Keys, kNamespaced>::begin_block(const KeyBlock& block) {
  WEIR_CHECK(block.count <= kKeyBlock);
  keys_.begin(block);
  const std::uint64_t* hashes = block.hashes;
  if constexpr (kNamespaced) {
    namespaces_ = block.namespaces;
    const auto size = layout_.namespace_bytes;
    for (std::uint32_t i = 0; i != block.count; ++i)
      hashes_[i] = hashes[i] ^ namespace_mix(namespaces_ + std::size_t{i} * size, size);
    hashes = hashes_.data();
  }
  store_.groups().positions_of(hashes, block.count, groups_.data(), spreads_.data(), tags_.data());
  version_ = store_.version();
}

// In passes without a branch that depends on the data. Those over a large table ask for the cache lines that the
// next one reads.
template <class Keys, bool kNamespaced>
void HeapTable<Keys, kNamespaced>::look_ahead(std::uint32_t count) {
  const Directory& directory = store_.directory();
  const auto candidate = [this](std::uint32_t i) {
    const auto first = std::countr_zero(segments_[i]->match(tags_[i]));
    candidates_[i] = static_cast<std::uint8_t>(first);
  };
  if (!is_staged()) {
    for (std::uint32_t i = 0; i != count; ++i) {
      segments_[i] = directory.find(groups_[i], spreads_[i]);
      candidate(i);
    }
    return;
  }
  for (std::uint32_t i = 0; i != count; ++i)
    __builtin_prefetch(directory.entry_of(groups_[i], spreads_[i]));
  for (std::uint32_t i = 0; i != count; ++i) {
    segments_[i] = directory.find(groups_[i], spreads_[i]);
    __builtin_prefetch(segments_[i], 1);
  }
  for (std::uint32_t i = 0; i != count; ++i) {
    candidate(i);
    __builtin_prefetch(store_.at({segments_[i], candidates_[i]}), 1);
  }
}

// Saves what open cuts need of the candidates, whichever key they turn out to be of, and says for how many keys there was
// room. In a loop of its own, because whether an entry has been saved yet is what no processor can guess.
template <class Keys, bool kNamespaced>
std::uint32_t HeapTable<Keys, kNamespaced>::prepare_ahead(std::uint32_t count) {
  std::uint64_t owed = 0;
  for (std::uint32_t i = 0; i != count; ++i) {
    const bool is_slot = candidates_[i] < kNoSlot;
    const SlotRef ref{segments_[i], is_slot ? candidates_[i] : 0U};
    owed |= static_cast<std::uint64_t>(is_slot & !store_.is_ready(ref)) << i;
  }
  if (owed == 0) return count;
  owed = store_.prepare_block(segments_.data(), candidates_.data(), owed);
  return owed == 0 ? count : first_slot(owed);
}

template <class Keys, bool kNamespaced>
bool HeapTable<Keys, kNamespaced>::is_entry(std::byte* slot, std::uint32_t i) const {
  if (!keys_.is_at(slot, i)) return false;
  if constexpr (kNamespaced) {
    const auto size = layout_.namespace_bytes;
    return std::memcmp(slot + layout_.key_bytes, namespaces_ + std::size_t{i} * size, size) == 0;
  }
  return true;
}

template <class Keys, bool kNamespaced>
std::uint32_t HeapTable<Keys, kNamespaced>::probe(Segment* segment, std::uint32_t i) const {
  for (auto matches = segment->match(tags_[i]); matches != 0; matches &= matches - 1) {
    const auto slot = first_slot(matches);
    if (is_entry(store_.at({segment, slot}), i)) return slot;
  }
  return kNoSlot;
}

// Where the i-th key lies or would lie: from the directory.
template <class Keys, bool kNamespaced>
SlotRef HeapTable<Keys, kNamespaced>::look_up(std::uint32_t i) const {
  Segment* segment = store_.directory().find(groups_[i], spreads_[i]);
  return {segment, probe(segment, i)};
}

// The same by what was looked up ahead, while entries are where they were.
template <class Keys, bool kNamespaced>
inline SlotRef HeapTable<Keys, kNamespaced>::looked_up(std::uint32_t i) const {
  const SlotRef ref{segments_[i], candidates_[i]};
  if (ref.slot < kNoSlot && is_entry(store_.at(ref), i)) [[likely]]
    return ref;
  return {ref.segment, probe(ref.segment, i)};
}

template <class Keys, bool kNamespaced>
template <Use kUse>
std::uint32_t HeapTable<Keys, kNamespaced>::open_as(const KeyBlock& block, void** places,
                                                    std::uint64_t& is_new) {
  settle();
  is_new = 0;
  new_ = 0;
  is_blocked_ = false;
  store_.set_error(ok());
  if (!layout_.value.is_flat && store_.account().is_over_limit()) {
    store_.set_error(store_.account().limit_error(0));
    return 0;
  }
  begin_block(block);
  look_ahead(block.count);
  const std::uint32_t end = store_.has_open_cut() ? prepare_ahead(block.count) : block.count;
  const bool marks = kUse == Use::kWrite && store_.tracks_changes();
  std::uint32_t n = 0;
  for (; n != end; ++n) {
    SlotRef ref = version_ == store_.version() ? looked_up(n) : look_up(n);
    if (ref.slot == kNoSlot) [[unlikely]] {
      ref = insert(block, n);
      if (!ref) break;
      new_ |= slot_bit(n);
    } else {
      if (!store_.is_ready(ref) && !store_.prepare(ref)) [[unlikely]]
        break;
      if (new_ != 0 && is_again(block, n, new_)) new_ |= slot_bit(n);
    }
    if (marks) ref.segment->mark_dirty(slot_bit(ref.slot));
    if constexpr (kUse == Use::kOpen) opened_[n] = ref;
    places[n] = layout_.value_of(store_.at(ref));
  }
  if (version_ != store_.version()) [[unlikely]] {
    for (std::uint32_t i = 0; i != n; ++i) {
      const SlotRef ref = look_up(i);
      opened_[i] = ref;
      places[i] = layout_.value_of(store_.at(ref));
    }
  }
  if (n != block.count) is_blocked_ = static_cast<bool>(store_.error());
  if (!layout_.value.is_flat) measure(block, places, n);
  is_new = new_;
  return n;
}

template <class Keys, bool kNamespaced>
SlotRef HeapTable<Keys, kNamespaced>::insert(const KeyBlock& block, std::uint32_t i) {
  std::optional<SegmentStore::Outside> outside = SegmentStore::Outside{};
  if (Keys::kIsVariable || layout_.is_boxed) {
    outside = store_.take_outside(Keys::kIsVariable ? block.variable[i] : std::string_view());
    if (!outside) return {};
  }
  const SlotRef ref = store_.add({groups_[i], spreads_[i]}, tags_[i]);
  if (!ref) {
    store_.give_back(*outside);
    return {};
  }
  std::byte* slot = store_.at(ref);
  if constexpr (Keys::kIsVariable) {
    InlineKey key = keys_.key(i);
    if (key.is_long()) key.tail = std::bit_cast<std::uint64_t>(outside->long_key);
    std::memcpy(slot, &key, sizeof key);
  } else {
    keys_.write(slot, i);
  }
  if constexpr (kNamespaced) {
    const auto size = layout_.namespace_bytes;
    std::memcpy(slot + layout_.key_bytes, namespaces_ + std::size_t{i} * size, size);
  }
  if (layout_.is_boxed) std::memcpy(slot + layout_.value_at, &outside->box, sizeof outside->box);
  void* value = layout_.value_of(slot);
  layout_.value.construct(value);
  if (!layout_.value.is_flat)
    store_.account().adjust(static_cast<std::int64_t>(layout_.value.heap_bytes(value)));
  first_entries_.note({groups_[i], spreads_[i]});
  return ref;
}

// Whether the i-th entry is also one of the earlier ones in `among`.
template <class Keys, bool kNamespaced>
bool HeapTable<Keys, kNamespaced>::is_again(const KeyBlock& block, std::uint32_t i,
                                            std::uint64_t among) const {
  const std::uint64_t* hashes = kNamespaced ? hashes_.data() : block.hashes;
  bool has_same_hash = false;
  for (std::uint32_t j = 0; j != i; ++j) has_same_hash |= hashes[j] == hashes[i];
  if (!has_same_hash) [[likely]]
    return false;
  const SlotRef own = look_up(i);
  for (std::uint32_t j = 0; j != i; ++j) {
    if ((among & slot_bit(j)) == 0 || hashes[j] != hashes[i]) continue;
    if (look_up(j) == own) return true;
  }
  return false;
}

// Of an entry's occurrences in the block the last one decides; of a new entry's all must agree.
template <class Keys, bool kNamespaced>
bool HeapTable<Keys, kNamespaced>::loses_its_value(const KeyBlock& block, std::uint32_t i,
                                                   std::uint32_t n, std::uint64_t absent) const {
  const std::uint64_t* hashes = kNamespaced ? hashes_.data() : block.hashes;
  std::uint32_t same_hash = 0;
  for (std::uint32_t j = 0; j != n; ++j) same_hash += hashes[j] == hashes[i];
  if (same_hash == 1) [[likely]]
    return true;
  for (std::uint32_t j = 0; j != n; ++j) {
    if (j == i || !(opened_[j] == opened_[i])) continue;
    if (j > i) return false;
    if ((new_ & slot_bit(i)) != 0 && (absent & slot_bit(j)) == 0) return false;
  }
  return true;
}

template <class Keys, bool kNamespaced>
void HeapTable<Keys, kNamespaced>::close(const KeyBlock& block, std::uint32_t n,
                                         std::uint64_t written, std::uint64_t absent) {
  settle();
  const std::uint64_t valid = n == kKeyBlock ? ~std::uint64_t{0} : slot_bit(n) - 1;
  if (store_.tracks_changes()) {
    for_each_slot(written & valid, [&](std::uint32_t i) {
      opened_[i].segment->mark_dirty(slot_bit(opened_[i].slot));
    });
  }
  absent &= valid;
  if (absent == 0) return;
  std::uint64_t erased = 0;
  for_each_slot(absent, [&](std::uint32_t i) {
    if (loses_its_value(block, i, n, absent)) erased |= slot_bit(i);
  });
  for_each_slot(erased, [&](std::uint32_t i) { store_.erase(opened_[i]); });
  for_each_slot(erased, [&](std::uint32_t i) { store_.merge_around({groups_[i], spreads_[i]}); });
}

template <class Keys, bool kNamespaced>
void HeapTable<Keys, kNamespaced>::find(const KeyBlock& block, const void** places) {
  settle();
  begin_block(block);
  look_ahead(block.count);
  for (std::uint32_t i = 0; i != block.count; ++i) {
    const SlotRef ref = looked_up(i);
    places[i] = ref.slot == kNoSlot ? nullptr : layout_.value_of(store_.at(ref));
  }
}

template <class Keys, bool kNamespaced>
void HeapTable<Keys, kNamespaced>::measure(const KeyBlock& block, void** places, std::uint32_t n) {
  measured_.reserve(kKeyBlock);
  for (std::uint32_t i = 0; i != n; ++i) {
    if (is_again(block, i, ~std::uint64_t{0})) continue;
    measured_.push_back({places[i], layout_.value.heap_bytes(places[i])});
  }
}

// Charges what values have grown by since they were opened.
template <class Keys, bool kNamespaced>
void HeapTable<Keys, kNamespaced>::settle() {
  if (measured_.empty()) return;
  std::int64_t grown = 0;
  for (const auto& [place, before] : measured_) {
    grown += static_cast<std::int64_t>(layout_.value.heap_bytes(place)) -
             static_cast<std::int64_t>(before);
  }
  measured_.clear();
  store_.account().adjust(grown);
}

template <class Keys>
std::unique_ptr<StoredTable> make(const HeapTableParts& parts) {
  if (parts.layout.namespace_bytes != 0) return std::make_unique<HeapTable<Keys, true>>(parts);
  return std::make_unique<HeapTable<Keys, false>>(parts);
}

std::unique_ptr<StoredTable> make_for_keys(const HeapTableParts& parts) {
  switch (parts.layout.keys) {
    case SlotLayout::Keys::kFour:
      return make<FourByteKeys>(parts);
    case SlotLayout::Keys::kEight:
      return make<EightByteKeys>(parts);
    case SlotLayout::Keys::kSixteen:
      return make<SixteenByteKeys>(parts);
    case SlotLayout::Keys::kFixed:
      return make<FixedKeys>(parts);
    case SlotLayout::Keys::kVariable:
      break;
  }
  return make<VariableKeys>(parts);
}

}  // namespace

Result<std::unique_ptr<StoredTable>> make_heap_table(const HeapTableParts& parts) {
  auto table = make_for_keys(parts);
  WEIR_TRY(table->store().begin());
  return table;
}

}  // namespace weir::state::heap
