#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "weir/datastream/data_stream.h"
#include "weir/operators/process/keyed_fold.h"
#include "weir/operators/process/keyed_process.h"

namespace weir {

template <class K, class V>
using Keyed = operators::Keyed<K, V>;

// A stream whose records are dealt by key: each key's records come, in order, to one Subtask, which
// keeps state for it.
//
//   Errors  JobDefinitionError
//   Thread  the one that describes the job
template <class T, class Selector>
class KeyedStream {
 public:
  static_assert(std::is_invocable_v<const Selector&, const T&>,
                "weir: key_by wants a member such as &T::name or a function Key f(const T&), which "
                "changes nothing that it holds; T is the type of the stream's records");
  static_assert(datastream::can_be_copied<Selector>());
  using K = operators::KeyOf<Selector, T>;
  static_assert(Key<K>,
                "key_by: this type cannot be a key; maps cannot, nor what cannot be serialised");

  KeyedStream(DataStream<T> from, Selector selector)
      : from_(std::move(from)), selector_(std::move(selector)) {}

  // How many records of the key there were so far, with each record.
  DataStream<Keyed<K, std::uint64_t>> count() const {
    return fold<std::uint64_t>("count", [](std::uint64_t& value, const T&) { ++value; });
  }
  // The sum so far of what a member pointer or a function takes from the records.
  template <class Extract>
  auto sum(Extract extract) const {
    static_assert(std::is_invocable_v<const Extract&, const T&>,
                  "weir: sum wants a member such as &T::amount or a function Number f(const T&), "
                  "which changes nothing that it holds; T is the type of the stream's records");
    static_assert(datastream::can_be_copied<Extract>());
    using V = std::remove_cvref_t<std::invoke_result_t<const Extract&, const T&>>;
    static_assert(std::is_arithmetic_v<V>, "sum: only numbers can be summed");
    return fold<V>("sum", [extract = std::move(extract)](V& value, const T& record) {
      value = static_cast<V>(value + std::invoke(extract, record));
    });
  }
  auto sum() const requires std::is_arithmetic_v<T> {
    return sum([](const T& number) { return number; });
  }
  // `T f(const T& so_far, const T& record)`; the key's first record is the first result.
  template <class F>
  auto reduce(F f) const {
    constexpr bool kFits = requires(const F& const_f, T& so_far, const T& record) {
      { const_f(so_far, record) } -> std::convertible_to<T>;
    };
    static_assert(kFits,
                  "weir: reduce wants a function T f(const T& so_far, const T& record), which "
                  "changes nothing that it holds; T is the type of the stream's records");
    if constexpr (kFits && datastream::can_be_copied<F>())
      return fold<T>("reduce", [f = std::move(f)](T& value, bool is_first, const T& record) {
        value = is_first ? record : f(value, record);
      });
  }
  // A function with state of its own per key; see operators/process/keyed_process.h.
  template <class Function>
  auto process(Function function) const {
    constexpr bool kIsDescribed = operators::HasOutputAndState<Function>;
    constexpr bool kFits = operators::KeyedProcessFunction<Function, T>;
    static_assert(kIsDescribed,
                  "weir: process wants an object whose class says `using Output = ...;`, what it "
                  "puts out, and `struct State {...};`, what it keeps for a key");
    static_assert(kFits || !kIsDescribed,
                  "weir: process wants an object with void process(const T& record, State&, "
                  "weir::Collector<Output>&); T is the type of the stream's records");
    if constexpr (kFits && datastream::can_be_copied<Function>()) {
      using Op = operators::KeyedProcess<Function, T, Selector>;
      return add<typename Function::Output>("process",
                                            [selector = selector_, function = std::move(function)] {
                                              return std::make_unique<Op>(selector, function);
                                            });
    }
  }

 private:
  template <class V, class Fold>
  DataStream<Keyed<K, V>> fold(const char* name, Fold fold) const {
    using Op = operators::KeyedFold<T, Selector, V, Fold>;
    return add<Keyed<K, V>>(name, [selector = selector_, fold = std::move(fold)] {
      return std::make_unique<Op>(selector, fold);
    });
  }

  template <class Out, class Make>
  DataStream<Out> add(const char* name, Make make) const {
    auto& program = from_.program();
    const auto node = program.add(
        {.stream = {.name = name, .parallelism = program.default_parallelism(), .is_keyed = true},
         .factory = datastream::make_factory<Out>(std::move(make))});
    program.connect(node, {.from = from_.node(),
                           .partitioning = graph::Partitioning::kHash,
                           .columns = {.hashes = true},
                           .make_router = [selector = selector_](std::uint32_t max_parallelism) {
                             return std::make_unique<operators::KeyRouter<T, Selector>>(
                                 selector, max_parallelism);
                           }});
    return {program, node};
  }

  DataStream<T> from_;
  Selector selector_;
};

}  // namespace weir
