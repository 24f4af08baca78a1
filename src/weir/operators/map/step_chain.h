#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include "weir/operators/map/steps.h"

namespace weir::operators {

// Several map and filter steps as one loop over a run of records.
//
// The steps are taken in segments that end with a filter. A segment runs over a whole run of at
// most kRun records before the next begins, writes each result where the next one will lie and
// moves on by whether the filter kept it: no branch depends on the data, and no function sees a
// record that a filter before it dropped.
//
//   Shape   origin[j], where asked for, is the index in the run of the j-th record that came out
//   Thread  the Subtask's
template <class... Steps>
class StepChain {
 public:
  using StepTuple = std::tuple<Steps...>;
  static constexpr std::size_t kSteps = sizeof...(Steps);
  using Input = typename std::tuple_element_t<0, StepTuple>::Input;
  using Output = typename std::tuple_element_t<kSteps - 1, StepTuple>::Output;
  static constexpr std::uint32_t kRun = 256;

  explicit StepChain(StepTuple steps) : steps_(std::move(steps)) {}

  // Runs over in[0..count), count <= kRun, writes what comes out from out[0] on and returns how
  // many; out must have room for `count`.
  std::uint32_t run(const Input* in, std::uint32_t count, Output* out, std::uint16_t* origin) {
    return segment<0>(in, count, out, origin, false);
  }

  // One record alone: calls then(output) unless a filter drops it.
  template <class Then>
  void run_one(const Input& in, Then then) {
    one<0>(in, then);
  }

 private:
  template <std::size_t I>
  using Step = std::tuple_element_t<I, StepTuple>;

  // The first filter at or behind step I, or the number of steps.
  template <std::size_t I>
  static constexpr std::size_t next_filter() {
    if constexpr (I == kSteps) {
      return kSteps;
    } else if constexpr (Step<I>::kFilters) {
      return I;
    } else {
      return next_filter<I + 1>();
    }
  }

  template <std::size_t I, class X>
  std::uint32_t segment(const X* in, std::uint32_t count, Output* out, std::uint16_t* origin,
                        bool has_origin) {
    constexpr std::size_t kFilter = next_filter<I>();
    if constexpr (I == kSteps) {
      for (std::uint32_t i = 0; i != count; ++i) out[i] = in[i];
      return count;
    } else if constexpr (kFilter == kSteps) {
      // Only maps are left.
      for (std::uint32_t i = 0; i != count; ++i) map_to<I, kSteps>(in[i], out[i]);
      if (origin && !has_origin) identity(origin, count);
      return count;
    } else {
      // Maps up to a filter, straight into the output where nothing follows.
      using Y = typename Step<kFilter>::Output;
      Y* kept = nullptr;
      if constexpr (kFilter + 1 == kSteps) {
        kept = out;
      } else {
        kept = std::get<kFilter>(runs_).records.get();
      }
      auto& keeps = std::get<kFilter>(steps_);
      std::uint32_t n = 0;
      if (origin) {
        if (!has_origin) identity(origin, count);
        for (std::uint32_t i = 0; i != count; ++i) {
          map_to<I, kFilter>(in[i], kept[n]);
          origin[n] = origin[i];
          n += keeps(kept[n]) ? 1 : 0;
        }
      } else {
        for (std::uint32_t i = 0; i != count; ++i) {
          map_to<I, kFilter>(in[i], kept[n]);
          n += keeps(kept[n]) ? 1 : 0;
        }
      }
      if constexpr (kFilter + 1 == kSteps) {
        return n;
      } else {
        return segment<kFilter + 1>(static_cast<const Y*>(kept), n, out, origin, true);
      }
    }
  }

  // Maps I .. J-1, which are all maps, of one record; with I == J a copy.
  template <std::size_t I, std::size_t J, class X, class Y>
  void map_to(const X& in, Y& out) {
    if constexpr (I == J) {
      out = in;
    } else if constexpr (I + 1 == J) {
      std::get<I>(steps_)(in, out);
    } else {
      auto& between = std::get<I>(between_);
      std::get<I>(steps_)(in, between);
      map_to<I + 1, J>(between, out);
    }
  }

  template <std::size_t I, class X, class Then>
  void one(const X& in, Then& then) {
    if constexpr (I == kSteps) {
      then(in);
    } else if constexpr (Step<I>::kFilters) {
      if (std::get<I>(steps_)(in)) one<I + 1>(in, then);
    } else {
      auto& between = std::get<I>(between_);
      std::get<I>(steps_)(in, between);
      one<I + 1>(between, then);
    }
  }

  static void identity(std::uint16_t* origin, std::uint32_t count) {
    for (std::uint32_t i = 0; i != count; ++i) origin[i] = static_cast<std::uint16_t>(i);
  }

  // A run of records behind a filter that is not the last step.
  template <class S, bool kNeeded>
  struct Run {
    std::unique_ptr<typename S::Output[]> records{new typename S::Output[kRun + 1]{}};
  };
  template <class S>
  struct Run<S, false> {};
  template <class Indices>
  struct Runs;
  template <std::size_t... I>
  struct Runs<std::index_sequence<I...>> {
    using type = std::tuple<Run<Step<I>, Step<I>::kFilters && I + 1 != kSteps>...>;
  };

  StepTuple steps_;
  typename Runs<std::make_index_sequence<kSteps>>::type runs_;
  std::tuple<typename Steps::Output...>
      between_{};  // recycled results of maps that another map follows
};

}  // namespace weir::operators
