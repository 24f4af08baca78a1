#pragma once

#include "weir/operators/api/operator.h"
#include "weir/operators/map/step_chain.h"

namespace weir::operators {

// No steps before a flat_map.
struct NoSteps {
  template <class In, class Then>
  void run_one(const In& in, Then then) {
    then(in);
  }
};

// What flat_map can call for each record of type In.
template <class F, class In, class Out>
concept FlatMapFunction = requires(F& f, const In& in, Collector<Out>& out) {
  f(in, out);
};

// Any number of records out for one in, by `void f(const In&, Collector<Out>&)`, which may follow
// fused steps.
//
// It stops between two input records: what one record puts out beyond the batch goes to the
// overflow list.
//
//   Errors  what the user's functions throw passes through; of Output, beyond the overflow's limit
//   Thread  the Subtask's
template <class Chain, class In, class Mid, class Out, class F>
class FlatMap final : public Operator {
 public:
  FlatMap(Chain chain, F fn) : chain_(std::move(chain)), fn_(std::move(fn)) {}

  Status open(OperatorContext&) override { return ok(); }

  Progress process(InputIndex, stream::BatchCursor& cursor, Outputs outputs) override {
    const auto& in = cursor.batch<In>();
    Output& output = *outputs[0];
    if (output.room() == 0) return Progress::kBlockedOnOutput;
    if constexpr (kHasText<In> && kHasText<Out>) output.any_open().hold_all_of(in);
    Collector<Out> collector(output);
    for (; cursor.unread() != 0; cursor.advance(1)) {
      if (output.room() == 0) return Progress::kBlockedOnOutput;
      if (in.timestamps()) output.stamp_with(in.timestamps()[cursor.position()]);
      chain_.run_one(in[cursor.position()], [&](const Mid& mid) { fn_(mid, collector); });
      if (in.timestamps()) output.stamp();
    }
    return Progress::kDone;
  }

 private:
  [[no_unique_address]] Chain chain_;
  F fn_;
};

}  // namespace weir::operators
