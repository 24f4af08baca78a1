#include "weir/graph/job_graph.h"

#include <algorithm>

namespace weir::graph {
namespace {

// source -> parse -> (hash) count -> sink
StreamGraph word_count() {
  StreamGraph graph{.job_name = "words", .nodes = {}, .edges = {}};
  graph.nodes = {{.name = "read", .parallelism = 2, .is_source = true},
                 {.name = "parse", .parallelism = 2},
                 {.name = "count", .uid = "count", .parallelism = 3, .is_keyed = true},
                 {.name = "write", .parallelism = 3}};
  graph.edges = {
      {.from = {0}, .to = {1}},
      {.from = {1}, .to = {2}, .partitioning = Partitioning::kHash, .columns = {.hashes = true}},
      {.from = {2}, .to = {3}}};
  return graph;
}

TEST(JobGraph, ChainsForwardEdgesAndBreaksAtTheShuffle) {
  const auto job = chain(word_count(), Chaining::kOn);
  ASSERT_EQ(job.vertices.size(), 2u);
  EXPECT_EQ(job.vertices[0].name, "read -> parse");
  EXPECT_EQ(job.vertices[1].name, "count -> write");
  EXPECT_EQ(job.vertices[1].scale, (Scale{3, 128}));
  ASSERT_EQ(job.edges.size(), 1u);
  EXPECT_EQ(job.stream_edge(job.edges[0]).partitioning, Partitioning::kHash);
  EXPECT_EQ(job.edges[0].from, VertexId{0});
  EXPECT_EQ(job.edges[0].to, VertexId{1});
}

TEST(JobGraph, WithoutChainingEveryNodeIsAVertex) {
  EXPECT_EQ(chain(word_count(), Chaining::kOff).vertices.size(), 4u);
}

TEST(JobGraph, AnOperatorReadTwiceOrFedTwiceStandsAlone) {
  auto graph = word_count();
  graph.nodes.push_back({.name = "copy", .parallelism = 2});
  graph.edges.push_back({.from = {1}, .to = {4}});  // parse now has two consumers
  graph.edges.push_back({.from = {0}, .to = {4}});  // and copy two producers
  const auto job = chain(graph, Chaining::kOn);
  EXPECT_EQ(job.vertices[0].name, "read");
  const auto is_to_copy = [&](const JobEdge& e) { return e.to == job.vertices.back().id; };
  EXPECT_EQ(std::count_if(job.edges.begin(), job.edges.end(), is_to_copy), 2);
}

TEST(StreamGraph, SaysWhyAJobIsImpossible) {
  EXPECT_TRUE(validate(word_count()));
  auto twice = word_count();
  twice.nodes[0].uid = "count";
  EXPECT_EQ(validate(twice).error().what,
            "operator 'count': its uid 'count' is also that of operator 'read'");
  auto narrow = word_count();
  narrow.nodes[2].max_parallelism = 2;
  EXPECT_EQ(validate(narrow).error().what,
            "operator 'count': its parallelism 3 is above its max parallelism 2");
  auto uneven = word_count();
  uneven.nodes[1].parallelism = 1;
  EXPECT_FALSE(validate(uneven));
  auto undealt = word_count();
  undealt.edges[1].partitioning = Partitioning::kRebalance;
  EXPECT_EQ(validate(undealt).error().what,
            "operator 'count': it has keyed state, but its input from 'parse' is not dealt by key");
  auto sourceless = word_count();
  sourceless.nodes[0].is_source = false;
  EXPECT_EQ(validate(sourceless).error().what, "job 'words': it has no source");
}

TEST(OperatorId, ComesFromTheUidElseFromThePlace) {
  const auto graph = word_count();
  EXPECT_EQ(operator_id_of(graph, {2}), weir::operator_id_of("count"));
  EXPECT_NE(operator_id_of(graph, {0}), operator_id_of(graph, {1}));
}

}  // namespace
}  // namespace weir::graph
