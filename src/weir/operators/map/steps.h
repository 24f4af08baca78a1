#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weir::operators {

// Void functions need the type of their output told apart; deduced from `void f(const In&, Out&)`.
namespace internal {

template <class F>
struct SecondParameter {};
template <class F>
requires requires { typename std::void_t<decltype(&F::operator())>; }
struct SecondParameter<F> : SecondParameter<decltype(&F::operator())> {};
template <class In, class Out, bool kNoexcept>
struct SecondParameter<void (*)(In, Out&) noexcept(kNoexcept)> {
  using type = Out;
};
template <class C, class In, class Out, bool kNoexcept>
struct SecondParameter<void (C::*)(In, Out&) noexcept(kNoexcept)> {
  using type = Out;
};
template <class C, class In, class Out, bool kNoexcept>
struct SecondParameter<void (C::*)(In, Out&) const noexcept(kNoexcept)> {
  using type = Out;
};

template <class F, class In>
struct MapOut {
  using type = typename SecondParameter<F>::type;
};
template <class F, class In>
requires std::invocable<F&, const In&>
struct MapOut<F, In> {
  using type = std::remove_cvref_t<std::invoke_result_t<F&, const In&>>;
};

template <class F, class In>
concept ReturnsRecord = requires(F& f, const In& in) {
  f(in);
}
&&!std::is_void_v<std::invoke_result_t<F&, const In&>>;
template <class F, class In>
concept WritesRecord = requires(F& f, const In& in, typename SecondParameter<F>::type& out) {
  f(in, out);
};

}  // namespace internal

// What map and filter can call for each record of type In.
template <class F, class In>
concept MapFunction = internal::ReturnsRecord<F, In> ||
    (!std::invocable<F&, const In&> && internal::WritesRecord<F, In>);
template <class F, class In>
concept FilterFunction = requires(F& f, const In& in) {
  static_cast<bool>(f(in));
};

// What a map function makes of an In: `Out f(const In&)` or `void f(const In&, Out&)`. The second
// form writes into a recycled record, whose strings keep their capacity.
template <class F, class In>
using MapOutput = typename internal::MapOut<F, In>::type;

// One record in, one out.
template <class F, class In>
struct MapStep {
  using Input = In;
  using Output = MapOutput<F, In>;
  static constexpr bool kFilters = false;

  void operator()(const In& in, Output& out) {
    if constexpr (std::invocable<F&, const In&>) {
      out = fn(in);
    } else {
      fn(in, out);
    }
  }
  F fn;
};

// One record in, the same out or none.
template <class F, class In>
struct FilterStep {
  using Input = In;
  using Output = In;
  static constexpr bool kFilters = true;

  bool operator()(const In& in) { return static_cast<bool>(fn(in)); }
  F fn;
};

}  // namespace weir::operators
