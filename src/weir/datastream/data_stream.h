#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "weir/connectors/api/sink_operator.h"
#include "weir/connectors/api/source_reader_operator.h"
#include "weir/connectors/api/split_enumerator_operator.h"
#include "weir/datastream/program_builder.h"
#include "weir/operators/map/flat_map.h"
#include "weir/operators/map/fused.h"

namespace weir {

template <class T, class Selector>
class KeyedStream;
template <class T>
class DataStream;
template <class In, class... Steps>
class FusedStream;

namespace datastream {

// Whether the function can be given to an operator; the compiler says why where it cannot.
template <class F>
constexpr bool can_be_copied() {
  constexpr bool kIsCopied = std::is_copy_constructible_v<F>;
  static_assert(
      kIsCopied,
      "weir: a function given to an operator is copied, for each Subtask; this one cannot "
      "be: let it hold a std::shared_ptr in place of a std::unique_ptr, and the like");
  return kIsCopied;
}

}  // namespace datastream

// What a sink is once it has been put at the end of a stream.
class StreamEnd {
 public:
  StreamEnd(datastream::ProgramBuilder& program, graph::NodeId node)
      : program_(&program), node_(node) {}

  StreamEnd& uid(std::string_view uid) {
    program_->node(node_).uid = uid;
    return *this;
  }
  StreamEnd& name(std::string_view name) {
    program_->node(node_).name = name;
    return *this;
  }
  StreamEnd& set_parallelism(std::uint32_t parallelism) {
    program_->node(node_).parallelism = parallelism;
    return *this;
  }
  StreamEnd& set_max_parallelism(std::uint32_t max_parallelism) {
    program_->node(node_).max_parallelism = max_parallelism;
    return *this;
  }

 private:
  datastream::ProgramBuilder* program_;
  graph::NodeId node_;
};

// A stream of records of type T: what an operator puts out, and the steps that may follow.
//
// A DataStream is a handle; copies speak of the same operator. map and filter give a FusedStream,
// which becomes one operator with the steps that follow it as soon as anything else is asked of it.
//
//   Shape   a step has as many Subtasks as the operator before it, but a keyed one as many as the
//           program's default, unless set_parallelism() says otherwise
//   Errors  JobDefinitionError
//   Thread  that of the program
template <class T>
class DataStream {
 public:
  using Record = T;

  DataStream(datastream::ProgramBuilder& program, graph::NodeId node)
      : program_(&program), node_(node) {}

  // `Out f(const T&)`, or `void f(const T&, Out&)`, which writes into a recycled record.
  template <class F>
  auto map(F f) const {
    return FusedStream<T>(*this, {}).map(std::move(f));
  }
  // Keeps the records for which `bool f(const T&)` is true.
  template <class F>
  auto filter(F f) const {
    return FusedStream<T>(*this, {}).filter(std::move(f));
  }
  // `void f(const T&, weir::Collector<Out>&)`: any number of records for one.
  template <class Out, class F>
  auto flat_map(F f) const {
    return FusedStream<T>(*this, {}).template flat_map<Out>(std::move(f));
  }
  template <class F>
  void flat_map(F f) const {
    FusedStream<T>(*this, {}).flat_map(std::move(f));
  }
  // Deals the records by a key (keyed_stream.h), which a member pointer or a function takes from
  // them.
  template <class Selector>
  KeyedStream<T, Selector> key_by(Selector selector) const {
    return {*this, std::move(selector)};
  }
  StreamEnd sink_to(std::shared_ptr<const connectors::Sink<T>> sink) const {
    const auto node =
        program_->add({.stream = {.name = sink->name(), .parallelism = here().parallelism},
                       .factory = datastream::make_factory<void>([sink] {
                         return std::make_unique<connectors::SinkOperator<T>>(sink);
                       })});
    program_->connect(node, {.from = node_});
    return {*program_, node};
  }

  // The stable name under which the operator's state is found again.
  DataStream uid(std::string_view uid) const {
    here().uid = uid;
    return *this;
  }
  DataStream name(std::string_view name) const {
    here().name = name;
    return *this;
  }
  DataStream set_parallelism(std::uint32_t parallelism) const {
    here().parallelism = parallelism;
    return *this;
  }
  DataStream set_max_parallelism(std::uint32_t max_parallelism) const {
    here().max_parallelism = max_parallelism;
    return *this;
  }
  // Does not run by direct call in the Subtask of the operator before it.
  DataStream start_new_chain() const {
    here().may_chain = false;
    return *this;
  }
  // Calls something that blocks: its Subtasks get threads of their own.
  DataStream blocking() const {
    here().blocks = true;
    return *this;
  }

  datastream::ProgramBuilder& program() const { return *program_; }
  graph::NodeId node() const { return node_; }
  graph::StreamNode& here() const { return program_->node(node_); }

 private:
  datastream::ProgramBuilder* program_;
  graph::NodeId node_;
};

// A stream followed by maps and filters that are still being collected. In is what the first of
// them reads.
//
// Several operators behind one handle read the same fused operator. A further map or filter begins
// another one, which repeats the steps before it: fuse() ends that.
//
//   Errors  JobDefinitionError
//   Thread  that of the program
template <class In, class... Steps>
class FusedStream {
 public:
  using Tuple = std::tuple<Steps...>;
  static constexpr bool kIsPlain = sizeof...(Steps) == 0;
  template <bool kPlain, class Dummy = void>
  struct LastOutput {
    using type = typename std::tuple_element_t<sizeof...(Steps) - 1, Tuple>::Output;
  };
  template <class Dummy>
  struct LastOutput<true, Dummy> {
    using type = In;
  };
  using Record = typename LastOutput<kIsPlain>::type;

  FusedStream(DataStream<In> from, Tuple steps)
      : from_(std::move(from)), steps_(std::move(steps)) {}

  template <class F>
  auto map(F f) const {
    constexpr bool kFits = operators::MapFunction<F, Record>;
    static_assert(kFits,
                  "weir: map wants a function Out f(const T&), which returns the new record, or "
                  "void f(const T&, Out&), which writes it; T is the type of the stream's records");
    if constexpr (kFits && datastream::can_be_copied<F>())
      return then(operators::MapStep<F, Record>{std::move(f)}, "map");
  }
  template <class F>
  auto filter(F f) const {
    constexpr bool kFits = operators::FilterFunction<F, Record>;
    static_assert(kFits,
                  "weir: filter wants a function bool f(const T&), which says whether the record "
                  "stays; T is the type of the stream's records");
    if constexpr (kFits && datastream::can_be_copied<F>())
      return then(operators::FilterStep<F, Record>{std::move(f)}, "filter");
  }
  template <class Out, class F>
  auto flat_map(F f) const {
    constexpr bool kFits = operators::FlatMapFunction<F, Record, Out>;
    static_assert(kFits,
                  "weir: flat_map<Out> wants a function void f(const T&, weir::Collector<Out>&); T "
                  "is the type of the stream's records");
    if constexpr (!kFits || !datastream::can_be_copied<F>()) {
      return;
    } else if constexpr (kIsPlain) {
      return add<Out>("flat_map", [f = std::move(f)] {
        return std::make_unique<operators::FlatMap<operators::NoSteps, In, In, Out, F>>(
            operators::NoSteps{}, f);
      });
    } else {
      using Chain = operators::StepChain<Steps...>;
      return add<Out>(name_ + ", flat_map", [steps = steps_, f = std::move(f)] {
        return std::make_unique<operators::FlatMap<Chain, In, Record, Out, F>>(Chain(steps), f);
      });
    }
  }
  // Only says what is missing.
  template <class F>
  void flat_map(F) const {
    static_assert(!sizeof(F),
                  "weir: flat_map is told the type of what it puts out: flat_map<Out>(f), where f "
                  "is void f(const T&, weir::Collector<Out>&)");
  }

  // The steps as one operator.
  DataStream<Record> fuse() const {
    if constexpr (kIsPlain) {
      return from_;
    } else {
      using Chain = operators::StepChain<Steps...>;
      if (!*fused_)
        *fused_ = add<Record>(name_, [steps = steps_] {
                    return std::make_unique<operators::Fused<Chain>>(Chain(steps));
                  }).node();
      return {from_.program(), **fused_};
    }
  }
  operator DataStream<Record>() const { return fuse(); }

  template <class Selector>
  KeyedStream<Record, Selector> key_by(Selector selector) const {
    return fuse().key_by(std::move(selector));
  }
  StreamEnd sink_to(std::shared_ptr<const connectors::Sink<Record>> sink) const {
    return fuse().sink_to(std::move(sink));
  }
  DataStream<Record> uid(std::string_view uid) const { return fuse().uid(uid); }
  DataStream<Record> name(std::string_view name) const { return fuse().name(name); }
  DataStream<Record> set_parallelism(std::uint32_t parallelism) const {
    return fuse().set_parallelism(parallelism);
  }
  DataStream<Record> set_max_parallelism(std::uint32_t max) const {
    return fuse().set_max_parallelism(max);
  }
  DataStream<Record> start_new_chain() const { return fuse().start_new_chain(); }
  DataStream<Record> blocking() const { return fuse().blocking(); }

 private:
  template <class I, class... S>
  friend class FusedStream;

  template <class Step>
  FusedStream<In, Steps..., Step> then(Step step, const char* name) const {
    FusedStream<In, Steps..., Step> longer(
        from_, std::tuple_cat(steps_, std::tuple<Step>(std::move(step))));
    longer.name_ = kIsPlain ? name : name_ + ", " + name;
    return longer;
  }

  template <class Out, class Make>
  DataStream<Out> add(std::string_view name, Make make) const {
    auto& program = from_.program();
    const auto node =
        program.add({.stream = {.name = std::string(name), .parallelism = from_.here().parallelism},
                     .factory = datastream::make_factory<Out>(std::move(make))});
    program.connect(node, {.from = from_.node()});
    return {program, node};
  }

  DataStream<In> from_;
  Tuple steps_;
  std::string name_;
  // Copies speak of the same operator.
  std::shared_ptr<std::optional<graph::NodeId>> fused_ =
      std::make_shared<std::optional<graph::NodeId>>();
};

namespace datastream {

// The beginning of a stream: the operator that assigns splits and, behind it, the readers.
template <class T>
DataStream<T> add_source(ProgramBuilder& builder,
                         std::shared_ptr<const connectors::Source<T>> source,
                         std::string_view name) {
  const auto enumerator = builder.add(
      {.stream = {.name = std::string(name) + " splits", .parallelism = 1, .is_source = true},
       .factory = make_factory<connectors::SplitAssignment>([source] {
         return std::make_unique<connectors::SplitEnumeratorOperator>(source->make_enumerator());
       })});
  const auto told = connectors::RunInput::nobody_was_told();
  const auto reader = builder.add({.stream = {.name = std::string(name),
                                              .parallelism = builder.default_parallelism(),
                                              .is_source = true},
                                   .factory = make_factory<T>([source, told] {
                                     return std::make_unique<connectors::SourceReaderOperator<T>>(
                                         source->make_reader(), source->input(), told);
                                   })});
  builder.connect(reader, {.from = enumerator,
                           .partitioning = graph::Partitioning::kDirect,
                           .make_router = [](std::uint32_t) {
                             return std::make_unique<connectors::AssignmentRouter>();
                           }});
  return {builder, reader};
}

}  // namespace datastream
}  // namespace weir
