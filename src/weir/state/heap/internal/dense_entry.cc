#include "weir/state/heap/internal/dense_entry.h"

#include <algorithm>
#include <cstring>

#include "weir/state/heap/internal/segment.h"
#include "weir/types/key_hash.h"

namespace weir::state::heap {
namespace {

// The least and the greatest key group of the entries seen.
class GroupSpan {
 public:
  explicit GroupSpan(std::uint32_t max_parallelism) : max_parallelism_(max_parallelism) {}
  void add(std::uint64_t key_hash) {
    const auto group = key_group_of(key_hash, max_parallelism_);
    first_ = std::min(first_, group);
    last_ = std::max(last_, group);
  }
  KeyGroupRange range() const { return {first_, last_}; }

 private:
  std::uint32_t max_parallelism_;
  KeyGroup first_{~std::uint32_t{0}};
  KeyGroup last_{0};
};

// What stands in front of a value that is plain bytes.
Bytes plain_front(const ValueType& type) {
  Bytes front;
  ByteWriter(front).leb128(type.size + (type.plain_header ? 1U : 0U));
  if (type.plain_header) front.push_back(*type.plain_header);
  return front;
}

// The value with its length in front. Lengths are mostly one byte long; where this one is not, the
// value moves.
void append_value(const SlotLayout& layout, const void* value, Bytes& out) {
  if (layout.value.is_plain_bytes) {
    ByteWriter writer(out);
    writer.leb128(layout.value.size + (layout.value.plain_header ? 1U : 0U));
    if (layout.value.plain_header) out.push_back(*layout.value.plain_header);
    writer.raw({static_cast<const std::byte*>(value), layout.value.size});
    return;
  }
  const auto length_at = out.size();
  out.push_back({});
  ByteWriter writer(out);
  layout.value.write(value, writer);
  const auto length = out.size() - length_at - 1;
  if (length < 0x80) {
    out[length_at] = static_cast<std::byte>(length);
    return;
  }
  Bytes prefix;
  ByteWriter(prefix).leb128(length);
  out[length_at] = prefix[0];
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(length_at) + 1, prefix.begin() + 1,
             prefix.end());
}

class RawEncoder final : public BlockEncoder {
 public:
  RawEncoder(const SlotLayout& layout, std::uint32_t max_parallelism, KeyGroupRange key_groups,
             Order order)
      : layout_(layout),
        max_parallelism_(max_parallelism),
        key_groups_(key_groups),
        order_(order) {}

  void encode(ByteView staged, DenseBlock& out) const override {
    WEIR_CHECK(staged.size() % layout_.stride == 0);
    out.count = staged.size() / layout_.stride;
    out.key_groups = span_of(staged);
    if (layout_.value.is_plain_bytes) {
      copy_plain(staged, out);
    } else {
      out.bytes.clear();
      for (std::size_t at = 0; at != staged.size(); at += layout_.stride) {
        const std::byte* slot = staged.data() + at;
        ByteWriter(out.bytes).raw({slot, layout_.key_bytes + layout_.namespace_bytes});
        append_value(layout_, slot + layout_.value_at, out.bytes);
      }
    }
  }

 private:
  // Hashes as few keys as say it.
  KeyGroupRange span_of(ByteView staged) const {
    GroupSpan groups(max_parallelism_);
    const std::size_t segment_bytes = std::size_t{kSlots} * layout_.stride;
    if (order_ == Order::kBySegments && staged.size() > 2 * segment_bytes) {
      // The least group is in the first segment, the greatest in the last.
      add(staged.first(segment_bytes), groups);
      add(staged.last(segment_bytes), groups);
    } else {
      // Entries saved by writes are of all groups, which the first few hundred say.
      add(staged, groups);
    }
    return groups.range();
  }
  void add(ByteView staged, GroupSpan& groups) const {
    for (; !staged.empty() && !(groups.range() == key_groups_);
         staged = staged.subspan(layout_.stride))
      groups.add(layout_.key_hash_of(staged.data()));
  }
  void copy_plain(ByteView staged, DenseBlock& out) const {
    const std::size_t key_bytes = layout_.key_bytes + layout_.namespace_bytes;
    // The commonest sizes as constants, so that a copy is no call.
    if (key_bytes == 8 && layout_.value.size == 8) return copy_entries<8, 8>(staged, out, 8, 8);
    if (key_bytes == 8 && layout_.value.size == 56) return copy_entries<8, 56>(staged, out, 8, 56);
    if (key_bytes == 16 && layout_.value.size == 8) return copy_entries<16, 8>(staged, out, 16, 8);
    copy_entries<0, 0>(staged, out, key_bytes, layout_.value.size);
  }

  template <std::size_t kKeyBytes, std::size_t kValueBytes>
  void copy_entries(ByteView staged, DenseBlock& out, std::size_t key_bytes,
                    std::size_t value_bytes) const {
    const Bytes front = plain_front(layout_.value);
    if constexpr (kKeyBytes != 0) key_bytes = kKeyBytes;
    if constexpr (kValueBytes != 0) value_bytes = kValueBytes;
    out.bytes.resize(out.count * (key_bytes + front.size() + value_bytes));
    std::byte* to = out.bytes.data();
    for (std::size_t at = 0; at != staged.size(); at += layout_.stride) {
      const std::byte* slot = staged.data() + at;
      std::memcpy(to, slot, key_bytes);
      to += key_bytes;
      for (const auto byte : front) *to++ = byte;
      std::memcpy(to, slot + layout_.value_at, value_bytes);
      to += value_bytes;
    }
  }

  const SlotLayout layout_;
  const std::uint32_t max_parallelism_;
  const KeyGroupRange key_groups_;
  const Order order_;
};

class DenseEncoder final : public BlockEncoder {
 public:
  DenseEncoder(KeyLayout key, std::uint32_t namespace_bytes, BlockKind kind,
               std::uint32_t max_parallelism)
      : key_(key),
        namespace_bytes_(namespace_bytes),
        kind_(kind),
        max_parallelism_(max_parallelism) {}

  void encode(ByteView staged, DenseBlock& out) const override {
    GroupSpan groups(max_parallelism_);
    ByteReader reader(staged);
    out.count = 0;
    for (; reader.remaining() != 0; ++out.count) {
      groups.add(hash_key_bytes(reader.raw(key_.is_fixed() ? key_.fixed_bytes : reader.leb128())));
      reader.raw(namespace_bytes_);
      if (kind_ == BlockKind::kEntries) reader.raw(reader.leb128());
    }
    WEIR_CHECK(reader.ok());
    out.key_groups = groups.range();
    out.bytes.assign(staged.begin(), staged.end());
  }

 private:
  const KeyLayout key_;
  const std::uint32_t namespace_bytes_;
  const BlockKind kind_;
  const std::uint32_t max_parallelism_;
};

}  // namespace

void append_dense_key(const SlotLayout& layout, std::byte* slot, Bytes& out) {
  ByteWriter writer(out);
  if (layout.keys == SlotLayout::Keys::kVariable) {
    writer.text(layout.key_of(slot));
  } else {
    writer.raw({slot, layout.key_bytes});
  }
  writer.raw(layout.namespace_of(slot));
}

void append_dense_entry(const SlotLayout& layout, std::byte* slot, Bytes& out) {
  append_dense_key(layout, slot, out);
  append_value(layout, layout.value_of(slot), out);
}

std::shared_ptr<const BlockEncoder> raw_encoder(const SlotLayout& layout,
                                                std::uint32_t max_parallelism,
                                                KeyGroupRange key_groups, Order order) {
  return std::make_shared<RawEncoder>(layout, max_parallelism, key_groups, order);
}

std::shared_ptr<const BlockEncoder> dense_encoder(KeyLayout key, std::uint32_t namespace_bytes,
                                                  BlockKind kind, std::uint32_t max_parallelism) {
  return std::make_shared<DenseEncoder>(key, namespace_bytes, kind, max_parallelism);
}

}  // namespace weir::state::heap
