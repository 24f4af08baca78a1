#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "weir/operators/api/operator.h"
#include "weir/operators/process/keys.h"
#include "weir/operators/process/table_of.h"
#include "weir/operators/process/value_state.h"
#include "weir/types/reflection.h"

namespace weir::operators {

// A user's function over the records of a key and the key's state:
//
//   struct RunningMax {
//     using Output = Reading;
//     struct State { weir::ValueState<double> max{"max"}; };
//     void process(const Reading& in, State& state, weir::Collector<Output>& out);
//     void on_end(const std::string& key, State& state, weir::Collector<Output>& out);  // optional
//   };
//
// process() is called for every record, in order per key. on_end() is called once per key that has
// any state when the input has ended; what the key held is cleared after it.
template <class F, class In>
concept KeyedProcessFunction = requires(F& f, const In& in, typename F::State& state,
                                        Collector<typename F::Output>& out) {
  f.process(in, state, out);
};

// What such a function says of itself, whatever its process() takes.
template <class F>
concept HasOutputAndState = requires {
  typename F::Output;
  typename F::State;
};

template <class T>
inline constexpr bool kIsValueState = false;
template <class V>
inline constexpr bool kIsValueState<ValueState<V>> = true;

// Whether a State is a struct that holds nothing but ValueStates.
template <class State>
constexpr bool has_value_states_only() {
  if constexpr (Record<State>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (kIsValueState<FieldType<State, I>> && ...);
    }
    (std::make_index_sequence<field_count<State>()>{});
  } else {
    return false;
  }
}

// Runs a KeyedProcessFunction.
//
//   Errors  of the tables, by ErrorException
//   Thread  the Subtask's
template <class Function, class In, class Selector>
class KeyedProcess final : public Operator {
 public:
  using Key = KeyOf<Selector, In>;
  using Out = typename Function::Output;
  using State = typename Function::State;
  static constexpr bool kHasOnEnd =
      requires(Function & f, const Key& key, State& state, Collector<Out>& out) {
    f.on_end(key, state, out);
  };

  static constexpr bool kNamesOnEnd = requires { &Function::on_end; };
  static_assert(
      kHasOnEnd || !kNamesOnEnd,
      "weir: on_end is called as on_end(const Key&, State&, Collector<Output>&), where Key is "
      "the type that key_by gives; this one cannot be called so");

  static_assert(std::is_default_constructible_v<State>,
                "weir: a State is made without arguments; if a member is a ValueState, it is given "
                "its name where it is declared: weir::ValueState<int> count{\"count\"}");
  static_assert(
      !std::is_default_constructible_v<State> || has_value_states_only<State>(),
      "weir: a State is a plain struct of ValueState members; anything else would be in no "
      "checkpoint: weir::ValueState<int> count{\"count\"} in place of int count");

  KeyedProcess(Selector selector, Function function)
      : keys_(std::move(selector)), function_(std::move(function)) {}

  Status open(OperatorContext& context) override {
    Status status;
    each_state([&](auto& state) {
      if (!status) return;
      using Value = typename std::remove_cvref_t<decltype(state)>::Value;
      auto table = open_table<Key, Value>(context, state.name());
      if (table) {
        state.table_ = *table;
      } else {
        status = table.error();
      }
    });
    return status;
  }

  Progress process(InputIndex, stream::BatchCursor& cursor, Outputs outputs) override {
    const auto& in = cursor.batch<In>();
    Output& output = *outputs[0];
    if (output.room() == 0) return Progress::kBlockedOnOutput;
    if constexpr (kHasText<In> && kHasText<Out>) output.any_open().hold_all_of(in);
    Collector<Out> collector(output);
    while (cursor.unread() != 0) {
      const auto at = cursor.position();
      const auto block = keys_.gather(in, at, std::min(cursor.unread(), state::kKeyBlock));
      const auto done = over_block(block, output, [&](std::uint32_t i) {
        if (in.timestamps()) output.stamp_with(in.timestamps()[at + i]);
        function_.process(in[at + i], state_, collector);
        if (in.timestamps()) output.stamp();
      });
      cursor.advance(done);
      if (output.room() == 0 && cursor.unread() != 0) return Progress::kBlockedOnOutput;
      if (done == 0) return Progress::kBlockedOnState;
    }
    return Progress::kDone;
  }

  Progress finish(Outputs outputs) override {
    if constexpr (!kHasOnEnd) {
      return Progress::kDone;
    } else {
      Output& output = *outputs[0];
      if (output.room() == 0) return Progress::kBlockedOnOutput;
      auto block = any_entries();
      if (block.count == 0) return Progress::kDone;
      if constexpr (kHasText<Key> && kHasText<Out>) keep_key_bytes(block, output);
      Collector<Out> collector(output);
      const auto done = over_block(block, output, [&](std::uint32_t i) {
        read_key(block, i, ended_key_);
        output.stamp_with(EventTime{});
        function_.on_end(std::as_const(ended_key_), state_, collector);
        output.stamp();
        each_state([](auto& state) { state.clear(); });
      });
      if (done == 0) return Progress::kBlockedOnState;
      return Progress::kMore;
    }
  }

 private:
  template <class Visit>
  void each_state(Visit visit) {
    for_each_field(state_, visit);
  }

  // Opens the block in every state, calls `body` for its keys as long as there is room, closes it;
  // says for how many it was called.
  template <class Body>
  std::uint32_t over_block(const state::KeyBlock& block, Output& output, Body body) {
    each_state([](auto& state) { state.count_ = 0; });
    const Closer close{[&] { each_state([&](auto& state) { state.close(block); }); }};
    std::uint32_t opened = block.count;
    each_state([&](auto& state) {
      opened = std::min(opened, state.open(block));
      if (opened != block.count) throw_if_failed(*state.table_);
    });
    std::uint32_t done = 0;
    for (; done != opened && output.room() != 0; ++done) {
      each_state([&](auto& state) { state.at_ = done; });
      body(done);
    }
    return done;
  }

  // Closes the block also when the user's function throws.
  template <class F>
  struct Closer {
    F close;
    ~Closer() { close(); }
  };
  template <class F>
  Closer(F) -> Closer<F>;

  // The function may put a key's text into its records, which live longer than the table's copy of
  // it: it points into the output batch's own bytes instead.
  void keep_key_bytes(state::KeyBlock& block, Output& output) {
    for (std::uint32_t i = 0; i != block.count; ++i) {
      const auto key = block.variable[i];
      char* room = output.text_room(key.size());
      std::memcpy(room, key.data(), key.size());
      ended_keys_[i] = {room, key.size()};
    }
    block.variable = ended_keys_.data();
  }

  // Some keys that still have state, of whichever kind.
  state::KeyBlock any_entries() {
    state::KeyBlock block;
    each_state([&](auto& state) {
      if (block.count == 0) block = state.table_->first_entries();
    });
    return block;
  }

  KeyGatherer<In, Selector> keys_;
  Function function_;
  State state_;
  Key ended_key_{};
  std::array<std::string_view, kHasText<Key> ? state::kKeyBlock : 0> ended_keys_{};
};

}  // namespace weir::operators
