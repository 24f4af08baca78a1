#pragma once

// Everything that a program needs to describe and run a job.

#include "weir/connectors/collect/collect_sink.h"
#include "weir/connectors/sequence/sequence_source.h"
#include "weir/datastream/keyed_stream.h"
#include "weir/environment/environment.h"
#include "weir/operators/process/value_state.h"
#include "weir/types/text.h"

namespace weir {

using operators::Collector;
using operators::ValueState;
using connectors::Collected;

// The numbers first .. last, both included, dealt to the readers in equal runs.
inline auto sequence(std::uint64_t first, std::uint64_t last) {
  const auto make = [](std::uint64_t number) { return number; };
  return std::make_shared<const connectors::SequenceSource<std::uint64_t, decltype(make)>>(first, last + 1, 0, make);
}
// A record made of each of the numbers first .. last: `T make(std::uint64_t)`, or `void make(std::uint64_t, T&)`.
template <class T, class Make>
auto sequence(std::uint64_t first, std::uint64_t last, Make make) {
  return std::make_shared<const connectors::SequenceSource<T, Make>>(first, last + 1, 0, std::move(make));
}

template <class T>
std::shared_ptr<const connectors::CollectSink<T>> collect(std::shared_ptr<Collected<T>> into) {
  return std::make_shared<const connectors::CollectSink<T>>(std::move(into));
}

}  // namespace weir
