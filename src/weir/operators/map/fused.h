#pragma once

#include <algorithm>
#include <array>

#include "weir/operators/api/operator.h"
#include "weir/operators/map/step_chain.h"

namespace weir::operators {

// A chain of maps and filters as one operator.
//
//   Errors  what the user's functions throw passes through
//   Thread  the Subtask's
template <class Chain>
class Fused final : public Operator {
 public:
  using In = typename Chain::Input;
  using Out = typename Chain::Output;

  explicit Fused(Chain chain) : chain_(std::move(chain)) {}

  Status open(OperatorContext&) override { return ok(); }

  Progress process(InputIndex, stream::BatchCursor& cursor, Outputs outputs) override {
    const auto& in = cursor.batch<In>();
    Output& output = *outputs[0];
    if constexpr (kHasText<Out>) output.any_open().hold_all_of(in);
    // A run may write one record past what it keeps, so room for all of it is asked for beforehand.
    while (const auto n = std::min({cursor.unread(), output.room(), Chain::kRun})) {
      auto& out = output.open_batch<Out>();
      const bool with_times = in.timestamps() && out.timestamps();
      const auto kept = chain_.run(in.data() + cursor.position(), n, out.data() + out.size(),
                                   with_times ? origin_.data() : nullptr);
      if (with_times)
        for (std::uint32_t j = 0; j != kept; ++j)
          out.timestamps()[out.size() + j] = in.timestamps()[cursor.position() + origin_[j]];
      out.grow(kept);
      cursor.advance(n);
    }
    return cursor.is_done() ? Progress::kDone : Progress::kBlockedOnOutput;
  }

 private:
  Chain chain_;
  std::array<std::uint16_t, Chain::kRun> origin_{};
};

}  // namespace weir::operators
