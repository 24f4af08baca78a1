#include "weir/datastream/data_stream.h"

#include "weir/datastream/job_definition_error.h"
#include "weir/datastream/keyed_stream.h"

namespace weir {
namespace {

using graph::Partitioning;
using Numbers = DataStream<std::uint64_t>;

class NoSink final : public connectors::Sink<std::uint64_t> {
 public:
  std::unique_ptr<connectors::SinkWriter<std::uint64_t>> make_writer() const override {
    return nullptr;
  }
  std::unique_ptr<connectors::Committer> make_committer(
      const connectors::SinkContext&) const override {
    return nullptr;
  }
  std::string name() const override { return "nowhere"; }
};

std::uint64_t twice(const std::uint64_t& n) { return n * 2; }
bool is_even(const std::uint64_t& n) { return n % 2 == 0; }

// A program that begins with a source of numbers, which is never run.
struct Rig {
  Rig() { program.set_default_parallelism(2); }
  Numbers numbers(std::uint32_t parallelism = 2) {
    return {
        program,
        program.add({.stream = {.name = "numbers", .parallelism = parallelism, .is_source = true},
                     .factory = datastream::make_factory<std::uint64_t>(
                         [] { return std::unique_ptr<operators::Operator>(); })})};
  }
  StreamEnd sink(const Numbers& from) { return from.sink_to(std::make_shared<NoSink>()); }
  graph::StreamGraph graph() { return program.build("job", graph::Chaining::kOff).graph.stream; }
  // The sentence with which the program is refused.
  std::string refusal() {
    try {
      program.build("job", graph::Chaining::kOn);
    } catch (const JobDefinitionError& e) {
      return e.what();
    }
    return {};
  }

  datastream::ProgramBuilder program;
};

std::vector<std::string> names(const graph::StreamGraph& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.nodes) names.push_back(node.name);
  return names;
}
using Names = std::vector<std::string>;

TEST(DataStream, AdjacentMapsAndFiltersBecomeOneOperator) {
  Rig rig;
  rig.sink(rig.numbers().map(twice).filter(is_even).map(twice));
  const auto graph = rig.graph();
  EXPECT_EQ(names(graph), (Names{"numbers", "map, filter, map", "nowhere"}));
  ASSERT_EQ(graph.edges.size(), 2u);
  EXPECT_EQ(graph.edges[0].partitioning, Partitioning::kForward);
}

TEST(DataStream, ANameOrAUidEndsTheFusion) {
  Rig rig;
  rig.sink(rig.numbers().map(twice).uid("first").map(twice).name("second").map(twice));
  const auto graph = rig.graph();
  EXPECT_EQ(names(graph), (Names{"numbers", "map", "second", "map", "nowhere"}));
  EXPECT_EQ(graph.nodes[1].uid, "first");
}

TEST(DataStream, FlatMapTakesTheStepsBeforeItAlong) {
  Rig rig;
  auto repeat = [](const std::uint64_t& n, operators::Collector<std::uint64_t>& out) {
    out.emit(n);
  };
  rig.sink(rig.numbers().filter(is_even).flat_map<std::uint64_t>(repeat));
  EXPECT_EQ(names(rig.graph()), (Names{"numbers", "filter, flat_map", "nowhere"}));
}

TEST(DataStream, EverySettingIsThatOfTheOperatorItFollows) {
  Rig rig;
  rig.sink(rig.numbers()
               .map(twice)
               .set_parallelism(3)
               .set_max_parallelism(64)
               .start_new_chain()
               .blocking())
      .uid("out")
      .name("write")
      .set_parallelism(5)
      .set_max_parallelism(32);
  const auto graph = rig.graph();
  EXPECT_EQ(graph.nodes[1], (graph::StreamNode{.name = "map",
                                               .parallelism = 3,
                                               .max_parallelism = 64,
                                               .blocks = true,
                                               .may_chain = false}));
  EXPECT_EQ(graph.nodes[2].uid, "out");
  EXPECT_EQ(graph.nodes[2].name, "write");
  EXPECT_EQ(graph.nodes[2].max_parallelism, 32u);
  // What goes to another number of Subtasks goes round.
  EXPECT_EQ(graph.edges[0].partitioning, Partitioning::kRebalance);
  EXPECT_EQ(graph.edges[1].partitioning, Partitioning::kRebalance);
}

TEST(DataStream, KeyedOperatorsAreFedByKeyWithHashes) {
  Rig rig;
  auto key = [](const std::uint64_t& n) { return n % 10; };
  rig.numbers(7).map(twice).key_by(key).count();
  rig.numbers(1).key_by(key).sum();
  rig.numbers(1).key_by(key).reduce(
      [](const std::uint64_t& a, const std::uint64_t& b) { return a + b; });
  const auto program = rig.program.build("job", graph::Chaining::kOn);
  const auto& graph = program.graph.stream;
  EXPECT_EQ(names(graph),
            (Names{"numbers", "map", "count", "numbers", "sum", "numbers", "reduce"}));
  for (std::size_t e = 0; e != graph.edges.size(); ++e) {
    const auto& edge = graph.edges[e];
    const auto& to = graph.node(edge.to);
    EXPECT_EQ(to.is_keyed, edge.partitioning == Partitioning::kHash);
    EXPECT_EQ(to.is_keyed, edge.columns.hashes);
    EXPECT_EQ(to.is_keyed, program.routers[e] != nullptr);
    EXPECT_EQ(to.parallelism, to.is_keyed ? 2u : 7u);
  }
}

TEST(DataStream, SeveralReadersOfOneStreamReadOneOperator) {
  Rig rig;
  const auto doubled = rig.numbers().map(twice);
  rig.sink(doubled);
  rig.sink(doubled);
  const auto copy = doubled;
  copy.key_by(twice).count();
  const auto graph = rig.graph();
  EXPECT_EQ(names(graph), (Names{"numbers", "map", "nowhere", "nowhere", "count"}));
  for (std::size_t e = 1; e != graph.edges.size(); ++e)
    EXPECT_EQ(graph.edges[e].from, graph::NodeId{1});
}

TEST(DataStream, AFurtherStepBehindAHandleBeginsAnotherOperator) {
  Rig rig;
  const auto doubled = rig.numbers().map(twice);
  rig.sink(doubled);
  rig.sink(doubled.filter(is_even));
  EXPECT_EQ(names(rig.graph()), (Names{"numbers", "map", "nowhere", "map, filter", "nowhere"}));
}

TEST(JobDefinitionErrors, NameTheOperatorAndWhatIsWrongWithIt) {
  {
    Rig rig;
    rig.sink(rig.numbers().map(twice).uid("same")).uid("same");
    EXPECT_EQ(rig.refusal(), "operator 'nowhere': its uid 'same' is also that of operator 'map'");
  }
  {
    Rig rig;
    rig.sink(rig.numbers().map(twice).set_parallelism(0));
    EXPECT_EQ(rig.refusal(), "operator 'map': its parallelism is 0");
  }
  {
    Rig rig;
    rig.sink(rig.numbers().map(twice).name("double").set_parallelism(9).set_max_parallelism(8));
    EXPECT_EQ(rig.refusal(), "operator 'double': its parallelism 9 is above its max parallelism 8");
  }
  {
    Rig rig;
    rig.sink(rig.numbers().map(twice).set_max_parallelism(40'000));
    EXPECT_EQ(rig.refusal(), "operator 'map': its max parallelism is 40000, over 32768");
  }
  Rig rig;
  EXPECT_EQ(rig.refusal(), "job 'job': it has no source");
}

TEST(ProgramBuilder, TheUidOfASourceNamesTheOperatorThatDealsItsSplitsToo) {
  Rig rig;
  const auto numbers = rig.numbers().uid("in");
  const auto splits =
      rig.program.add({.stream = {.name = "numbers splits", .parallelism = 1, .is_source = true},
                       .factory = datastream::make_factory<std::uint64_t>(
                           [] { return std::unique_ptr<operators::Operator>(); })});
  rig.program.connect({0}, {.from = splits, .partitioning = Partitioning::kDirect});
  rig.sink(numbers);
  EXPECT_EQ(rig.graph().nodes[splits.value].uid, "in splits");
}

TEST(ProgramBuilder, IsEmptyAfterAProgramWasBuilt) {
  Rig rig;
  rig.sink(rig.numbers());
  rig.graph();
  EXPECT_TRUE(rig.program.is_empty());
  rig.sink(rig.numbers().map(twice));
  EXPECT_EQ(names(rig.graph()), (Names{"numbers", "map", "nowhere"}));
}

TEST(ProgramBuilder, IsEmptyAfterAProgramWasRefused) {
  Rig rig;
  rig.sink(rig.numbers().map(twice).set_parallelism(0));
  EXPECT_NE(rig.refusal(), "");
  EXPECT_TRUE(rig.program.is_empty());
}

}  // namespace
}  // namespace weir
