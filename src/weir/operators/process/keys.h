#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <type_traits>

#include "weir/keygroup/key_group.h"
#include "weir/state/api/key_block.h"
#include "weir/stream/batch_cursor.h"
#include "weir/stream/router.h"
#include "weir/types/key_hash.h"
#include "weir/types/serializer.h"

namespace weir::operators {

// The key that a selector (a member pointer or a function) takes from a record.
template <class Selector, class In>
using KeyOf = std::remove_cvref_t<std::invoke_result_t<const Selector&, const In&>>;

// Sends each record to the Subtask that owns its key's KeyGroup, and writes the hash column.
template <class In, class Selector>
class KeyRouter final : public stream::Router {
 public:
  KeyRouter(Selector selector, std::uint32_t max_parallelism)
      : selector_(std::move(selector)), max_parallelism_(max_parallelism) {}

  void route(stream::AnyBatch& batch, std::uint32_t from, std::uint32_t consumers,
             std::uint16_t* target_of) override {
    const auto& records = static_cast<stream::RecordBatch<In>&>(batch);
    std::uint64_t* hashes = batch.hashes();
    for (std::uint32_t i = from; i != batch.size(); ++i)
      hashes[i] = hash_key(std::invoke(selector_, records[i]));
    subtasks_of({hashes + from, batch.size() - from}, {consumers, max_parallelism_},
                target_of + from);
  }

 private:
  const Selector selector_;
  const std::uint32_t max_parallelism_;
};

// Lays the keys of a run of records out as a KeyBlock: fixed-size keys one after the other, others
// as views of their serialised form.
//
//   Thread  the Subtask's. The block is valid until the next call, and as long as the batch is
template <class In, class Selector>
class KeyGatherer {
 public:
  using Key = KeyOf<Selector, In>;
  static constexpr bool kIsFixed = kFixedSize<Key>.has_value();

  explicit KeyGatherer(Selector selector) : selector_(std::move(selector)) {}

  // What the selector gives: a member is not copied.
  decltype(auto) key_of(const In& record) const { return std::invoke(selector_, record); }

  // Records at .. at+count-1, count <= kKeyBlock.
  state::KeyBlock gather(const stream::RecordBatch<In>& batch, std::uint32_t at,
                         std::uint32_t count) {
    state::KeyBlock block{.count = count, .hashes = batch.hashes() + at};
    if constexpr (kIsFixed) {
      constexpr std::size_t kSize = *kFixedSize<Key>;
      for (std::uint32_t i = 0; i != count; ++i)
        write_fixed_key(std::invoke(selector_, batch[at + i]), fixed_.data() + i * kSize);
      block.fixed = fixed_.data();
    } else {
      bytes_.clear();
      ByteWriter writer(bytes_);
      std::array<std::size_t, state::kKeyBlock + 1> ends{};
      for (std::uint32_t i = 0; i != count; ++i) {
        write_key(writer, std::invoke(selector_, batch[at + i]));
        ends[i + 1] = bytes_.size();
      }
      for (std::uint32_t i = 0; i != count; ++i)
        views_[i] = text_of(bytes_).substr(ends[i], ends[i + 1] - ends[i]);
      block.variable = views_.data();
    }
    return block;
  }

 private:
  const Selector selector_;
  // One of the two is used.
  alignas(64)
      std::array<std::byte, kIsFixed ? state::kKeyBlock * kFixedSize<Key>.value_or(1) : 1> fixed_{};
  std::array<std::string_view, kIsFixed ? 1 : state::kKeyBlock> views_{};
  Bytes bytes_;
};

// The i-th key of a block, read into `key`, which keeps its capacity. Texts in it point into the
// block's bytes.
template <Key K>
void read_key(const state::KeyBlock& block, std::uint32_t i, K& key) {
  ByteView bytes;
  if constexpr (kFixedSize<K>.has_value()) {
    bytes = {block.fixed + std::size_t{i} * *kFixedSize<K>, *kFixedSize<K>};
  } else {
    bytes = bytes_of(block.variable[i]);
  }
  const auto read = deserialize_into(bytes, key);
  WEIR_CHECK(read);  // The table gives back what gather() once wrote.
}

}  // namespace weir::operators
