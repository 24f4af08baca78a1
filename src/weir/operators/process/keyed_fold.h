#pragma once

#include <algorithm>
#include <array>

#include "weir/operators/api/operator.h"
#include "weir/operators/process/keys.h"
#include "weir/operators/process/table_of.h"

namespace weir::operators {

// What count, sum and reduce put out: the key and its value so far.
template <class K, class V>
struct Keyed {
  K key;
  V value;
  friend bool operator==(const Keyed&, const Keyed&) = default;
};

// Folds every record into the value of its key and puts out each new value.
//
// Fold is `void fold(Value& value, const In& record)`, or, where a key's first record is a case of
// its own, `void fold(Value& value, bool is_first, const In& record)`. A new value starts as
// Value{}.
//
//   Errors  of the table, by ErrorException
//   Thread  the Subtask's
template <class In, class Selector, class Value, class Fold>
class KeyedFold final : public Operator {
 public:
  using Key = KeyOf<Selector, In>;
  using Out = Keyed<Key, Value>;

  KeyedFold(Selector selector, Fold fold) : keys_(std::move(selector)), fold_(std::move(fold)) {}

  Status open(OperatorContext& context) override {
    WEIR_ASSIGN(table_, open_table<Key, Value>(context, "value"));
    return ok();
  }

  Progress process(InputIndex, stream::BatchCursor& cursor, Outputs outputs) override {
    const auto& in = cursor.batch<In>();
    Output& output = *outputs[0];
    if constexpr (kHasText<Out>) output.any_open().hold_all_of(in);
    while (const auto wanted = std::min({cursor.unread(), output.room(), state::kKeyBlock})) {
      const auto at = cursor.position();
      const auto block = keys_.gather(in, at, wanted);
      std::array<void*, state::kKeyBlock> places;
      std::uint64_t is_new = 0;
      const auto n = table_->open_to_write(block, places.data(), is_new);
      auto& out = output.open_batch<Out>();
      Out* records = out.data() + out.size();
      for (std::uint32_t i = 0; i != n; ++i) {
        auto& value = *static_cast<Value*>(places[i]);
        if constexpr (kTellsFirst) {
          const bool is_first = (is_new >> i & 1) != 0;
          fold_(value, is_first, in[at + i]);
          if (is_first) is_new &= ~same_places(places.data(), i, n);
        } else {
          fold_(value, in[at + i]);
        }
        records[i].key = keys_.key_of(in[at + i]);
        records[i].value = value;
      }
      out.grow(n);
      out.take_timestamps(in, at, n);
      cursor.advance(n);
      if (n != wanted) {
        throw_if_failed(*table_);
        return Progress::kBlockedOnState;
      }
    }
    return cursor.is_done() ? Progress::kDone : Progress::kBlockedOnOutput;
  }

 private:
  static constexpr bool kTellsFirst = std::is_invocable_v<Fold&, Value&, bool, const In&>;

  // The keys of the block behind the i-th that are the same key.
  static std::uint64_t same_places(void* const* places, std::uint32_t i, std::uint32_t n) {
    std::uint64_t same = 0;
    for (std::uint32_t j = i + 1; j != n; ++j) same |= std::uint64_t{places[j] == places[i]} << j;
    return same;
  }

  KeyGatherer<In, Selector> keys_;
  Fold fold_;
  state::KeyedTable* table_ = nullptr;
};

}  // namespace weir::operators
