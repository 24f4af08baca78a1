#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weir/base/random.h"
#include "weir/state/api/backend_contract_cuts.h"

// What every state backend must do. A backend's test instantiates the suite in one line:
//
//   INSTANTIATE_TEST_SUITE_P(Heap, BackendContract, testing::Values(&make_heap_backend));
namespace weir::state {

class BackendContract : public testing::TestWithParam<contract::MakeBackend> {
 protected:
  contract::Options options() const {
    contract::Options options;
    options.make = GetParam();
    return options;
  }
};

TEST_P(BackendContract, BehavesLikeAMap) {
  for (const auto& shape : contract::all_shapes()) {
    SCOPED_TRACE(shape.name);
    contract::Harness world(options(), {shape});
    contract::Twin twin(world, 0, 11);
    for (int step = 0; step != 400; ++step) {
      twin.random_block();
      if (step % 50 == 0) twin.compare_by_find();
    }
    twin.compare_by_find();
    EXPECT_EQ(world.backend->statistics().entries, twin.state().size());
    twin.erase_everything();
    EXPECT_EQ(world.table(0).entry_count(), 0u);
    world.backend.reset();
    EXPECT_EQ(world.account.used_bytes(), 0u);
  }
}

TEST_P(BackendContract, DuplicatesInABlockShareOnePlace) {
  contract::Harness world(options(), {contract::shape_of("fixed 8", 8, 0, contract::flat8())});
  contract::Block keys(world.shapes[0].descriptor.schema);
  for (const std::uint64_t key : {7u, 8u, 7u, 9u, 7u}) keys.add_number(key);
  void* places[kKeyBlock];
  std::uint64_t is_new = 0;
  ASSERT_EQ(world.table(0).open_to_write(keys.view(), places, is_new), 5u);
  EXPECT_EQ(is_new, 0b11111u);
  EXPECT_EQ(places[0], places[2]);
  EXPECT_EQ(places[0], places[4]);
  EXPECT_NE(places[0], places[1]);
  ASSERT_EQ(world.table(0).open_to_write(keys.view(), places, is_new), 5u);
  EXPECT_EQ(is_new, 0u);
  EXPECT_EQ(world.table(0).entry_count(), 3u);
}

TEST_P(BackendContract, OfAnEntrysOccurrencesTheLastOneDecidesWhetherItIsAbsent) {
  contract::Harness world(options(), {contract::shape_of("fixed 8", 8, 0, contract::flat8())});
  contract::Block keys(world.shapes[0].descriptor.schema);
  for (const std::uint64_t key : {7u, 8u, 7u, 9u}) keys.add_number(key);
  auto& table = world.table(0);
  void* places[kKeyBlock];
  std::uint64_t is_new = 0;
  // New: 7 is absent for one of its occurrences only, 9 for all.
  ASSERT_EQ(table.open(keys.view(), places, is_new), 4u);
  table.close(keys.view(), 4, 0b0011, 0b1100);
  EXPECT_EQ(table.entry_count(), 2u);
  // There already: the first occurrence does not count.
  ASSERT_EQ(table.open(keys.view(), places, is_new), 4u);
  EXPECT_EQ(is_new, 0b1000u);
  table.close(keys.view(), 4, 0b0100, 0b1001);
  EXPECT_EQ(table.entry_count(), 2u);
  ASSERT_EQ(table.open(keys.view(), places, is_new), 4u);
  table.close(keys.view(), 4, 0b0001, 0b1100);
  EXPECT_EQ(table.entry_count(), 1u);
}

// A random life: writes, cuts (at most two open), walks, aborts. Every image is compared with a copy of the twins that
// was made when its cut was taken. How many of them were deltas.
inline int live_and_compare(contract::Harness& world, std::uint64_t seed, int steps, CutKind kind) {
  Random random(seed);
  contract::Twins twins(world, seed);
  contract::Cuts cuts(world, twins);
  for (int step = 0; step != steps && !testing::Test::HasFailure(); ++step) {
    if (random.one_in(200)) {
      twins.any().erase_everything();
    } else {
      twins.any().random_block();
    }
    if (random.one_in(12)) cuts.take(kind);
    if (random.one_in(40)) cuts.abort_one(random);
    for (auto walks = random.below(3); walks != 0; --walks) cuts.walk(1 + random.below(20'000));
    if (random.one_in(3)) cuts.complete_one();
    world.queue.drain(random.below(4));
  }
  cuts.finish();
  twins.compare_by_find();
  EXPECT_GT(cuts.compared(), steps / 60);
  return cuts.deltas_compared();
}

TEST_P(BackendContract, EveryImageIsTheStateAsItWasAtItsCut) {
  for (const auto& shape : contract::all_shapes()) {
    SCOPED_TRACE(shape.name);
    contract::Harness world(options(), {shape});
    live_and_compare(world, 21, 600, CutKind::kWhole);
  }
}

TEST_P(BackendContract, OneCutGoesThroughAllTables) {
  auto shapes = contract::all_shapes();
  for (std::uint64_t seed = 1; seed != 4; ++seed) {
    contract::Harness world(options(), shapes);
    live_and_compare(world, seed, 400, CutKind::kWhole);
  }
}

TEST_P(BackendContract, ADeltaLeadsFromItsBaseToItsCut) {
  for (const auto& shape : contract::all_shapes()) {
    SCOPED_TRACE(shape.name);
    auto with_changes = options();
    with_changes.tracks_changes = true;
    contract::Harness world(with_changes, {shape});
    EXPECT_GT(live_and_compare(world, 31, 600, CutKind::kDelta), 5);
    const auto statistics = world.backend->statistics();
    EXPECT_GT(statistics.splits, 5u) << "a life too short to show anything";
    EXPECT_GT(statistics.merges, 5u);
  }
}

TEST_P(BackendContract, ADeltaHoldsOnlyWhatChangedWhereItsBaseWasTheCutBefore) {
  auto with_changes = options();
  with_changes.tracks_changes = true;
  contract::Harness world(with_changes, {contract::shape_of("fixed 8", 8, 0, contract::flat8())});
  contract::Twins twins(world, 5);
  contract::Cuts cuts(world, twins);
  for (std::uint64_t key = 0; key != 2'000; ++key) twins[0].put(key, key);
  cuts.take(CutKind::kDelta);  // Without a base: whole.
  cuts.finish();
  cuts.complete_one();
  const auto whole = world.backend->statistics().saved_entries;
  EXPECT_EQ(whole, 2'000u);
  for (std::uint64_t key = 0; key != 30; ++key) twins[0].put(key, key + 1);
  for (std::uint64_t key = 100; key != 110; ++key) twins[0].remove(key);
  cuts.take(CutKind::kDelta);
  cuts.finish();
  EXPECT_EQ(cuts.deltas_compared(), 1);
  EXPECT_LE(world.backend->statistics().saved_entries - whole,
            31u);  // Deleted keys come as one piece.
}

TEST_P(BackendContract, AFullStagingAreaDelaysWritesAndLosesNothing) {
  for (const auto& shape : contract::all_shapes()) {
    SCOPED_TRACE(shape.name);
    auto small = options();
    small.staging = {.limit_bytes = 20'000, .chunk_bytes = 5'000, .spare_chunks = 1};
    contract::Harness world(small, {shape});
    contract::Twins twins(world, 3);
    for (int step = 0; step != 100; ++step) twins.any().random_block();
    contract::Cuts cuts(world, twins);
    std::size_t refused = 0;
    for (int round = 0; round != 3; ++round) {
      cuts.take(CutKind::kWhole);
      for (int step = 0; step != 60; ++step) {
        // Nobody drains until the table has said that it cannot go on.
        if (!twins.any().try_random_block()) {
          ++refused;
          EXPECT_FALSE(world.table(0).has_room());
          EXPECT_TRUE(world.table(0).error());
          EXPECT_TRUE(world.backend->is_blocked_on_staging());
          const auto rung = world.bell.rung;
          world.queue.drain(1);
          EXPECT_GT(world.bell.rung, rung);
        }
        cuts.walk(4'000);
      }
      cuts.finish();
    }
    EXPECT_GT(refused, 0u);
    EXPECT_LE(world.staging.peak_in_use_bytes(), 20'000u);
    EXPECT_EQ(cuts.compared(), 3);
    twins.compare_by_find();
  }
}

TEST_P(BackendContract, AnAbortedCutIsNotHeardOfAgain) {
  contract::Harness world(options(), {contract::shape_of("fixed 8", 8, 0, contract::flat8())});
  contract::Twins twins(world, 3);
  contract::CutOutput output(world.queue);
  for (int step = 0; step != 50; ++step) twins.any().random_block();
  ASSERT_TRUE(world.backend->cut(CheckpointId{1}, CutKind::kWhole, output));
  world.backend->abort(CheckpointId{1});
  world.backend->abort(CheckpointId{99});
  EXPECT_EQ(world.backend->walk(~std::uint64_t{0})->state, WalkState::kIdle);
  for (int step = 0; step != 50; ++step) twins.any().random_block();
  world.queue.drain_all();
  EXPECT_TRUE(output.blocks.empty());
  EXPECT_EQ(world.staging.in_use_bytes(), 0u);
}

TEST_P(BackendContract, AThirdOpenCutIsRefused) {
  contract::Harness world(options(), {contract::shape_of("fixed 8", 8, 0, contract::flat8())});
  contract::CutOutput output(world.queue);
  ASSERT_TRUE(world.backend->cut(CheckpointId{1}, CutKind::kWhole, output));
  ASSERT_TRUE(world.backend->cut(CheckpointId{2}, CutKind::kWhole, output));
  const auto third = world.backend->cut(CheckpointId{3}, CutKind::kWhole, output);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Code::kUnavailable);
  EXPECT_NE(third.error().what.find("checkpoint 3"), std::string::npos);
}

TEST_P(BackendContract, AStateThatOutgrowsItsAccountSaysSo) {
  for (const auto& shape : contract::all_shapes()) {
    SCOPED_TRACE(shape.name);
    auto small = options();
    small.heap_bytes_max = 400'000;
    contract::Harness world(small, {shape});
    contract::Twin twin(world, 0, 1);
    Status status;
    for (int step = 0; step != 100'000 && status; ++step) status = twin.try_random_put();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kExhausted);
    EXPECT_NE(status.error().what.find("state.heap_bytes_max of 400000"), std::string::npos)
        << status.error().what;
    EXPECT_NE(status.error().what.find("operator test[0]"), std::string::npos);
    EXPECT_TRUE(world.table(0).has_room());
    twin.compare_by_find();
    world.backend.reset();
    EXPECT_EQ(world.account.used_bytes(), 0u);
  }
}

TEST_P(BackendContract, AnAccountWithoutRoomForAnEmptyTableSaysSo) {
  for (const auto& shape : contract::all_shapes())
    for (const std::uint64_t limit : {0, 1, 1000}) {
      SCOPED_TRACE(shape.name + " in " + std::to_string(limit) + " bytes");
      auto small = options();
      small.heap_bytes_max = limit;
      contract::Harness world(small, {});
      const auto table = world.backend->table(shape.descriptor);
      ASSERT_FALSE(table);
      EXPECT_EQ(table.error().code, Code::kExhausted);
      EXPECT_NE(table.error().what.find("state.heap_bytes_max of " + std::to_string(limit)),
                std::string::npos)
          << table.error().what;
      EXPECT_EQ(world.account.used_bytes(), 0u);
    }
}

TEST_P(BackendContract, AnEntryOverItsLimitFailsTheSnapshotWithAnErrorThatNamesIt) {
  auto small = options();
  small.entry_bytes_max = 10'000;
  contract::Harness world(small, {contract::shape_of("variable", 0, 0, contract::text())});
  contract::Twin twin(world, 0, 1);
  twin.put_text("key", std::string(20'000, 'x'));
  contract::CutOutput output(world.queue);
  ASSERT_TRUE(world.backend->cut(CheckpointId{1}, CutKind::kWhole, output));
  const auto progress = world.backend->walk(~std::uint64_t{0});
  ASSERT_FALSE(progress);
  EXPECT_EQ(progress.error().code, Code::kExhausted);
  EXPECT_NE(progress.error().what.find("state.entry_bytes_max is 10000"), std::string::npos);
  EXPECT_NE(progress.error().what.find("test[0]"), std::string::npos);
}

TEST_P(BackendContract, AnEntryLargerThanAChunkTravelsInOneOfItsOwn) {
  contract::Harness world(options(), {contract::shape_of("variable", 0, 0, contract::text())});
  contract::Twins twins(world, 1);
  twins[0].put_text("large", std::string(300'000, 'x'));
  twins[0].put_text("small", "y");
  contract::Cuts cuts(world, twins);
  cuts.take(CutKind::kWhole);
  cuts.finish();
  EXPECT_EQ(cuts.compared(), 1);
}

// A job goes through several parallelisms; at each, every Subtask holds what the twins say, and goes on from there.
TEST_P(BackendContract, RestoresAtAnyParallelism) {
  const auto shapes = contract::all_shapes();
  std::vector<contract::Content> content(shapes.size());  // of all Subtasks together
  std::vector<std::unique_ptr<MemoryFile>> files;
  for (const std::uint32_t parallelism : {2, 3, 1, 5}) {
    std::vector<std::reference_wrapper<const ByteSource>> sources;
    for (const auto& file : files) sources.emplace_back(*file);
    std::vector<contract::Content> next(shapes.size());
    std::vector<std::unique_ptr<MemoryFile>> written;
    for (std::uint32_t i = 0; i != parallelism; ++i) {
      SCOPED_TRACE(std::to_string(i) + " of " + std::to_string(parallelism));
      auto own = options();
      own.scale = {parallelism, 128};
      own.subtask = SubtaskIndex{i};
      contract::Harness world(own, shapes);
      const auto restored = world.backend->restore(sources);
      ASSERT_TRUE(restored) << restored.error().what;
      contract::Twins twins(world, 1000 * parallelism + i);
      for (std::size_t table = 0; table != shapes.size(); ++table)
        twins[table].start_from(content[table]);
      twins.compare_by_find();
      for (int step = 0; step != 200; ++step) twins.any().random_block();
      for (std::size_t table = 0; table != shapes.size(); ++table)
        next[table].insert(twins[table].state().begin(), twins[table].state().end());
      written.push_back(contract::snapshot(world, CheckpointId{parallelism}));
    }
    content = std::move(next);
    files = std::move(written);
  }
}

TEST_P(BackendContract, RefusesToRestoreWhatTheJobDoesNotDeclareOrDeclaresOtherwise) {
  const auto shape = contract::shape_of("fixed 8", 8, 0, contract::flat8());
  contract::Harness old(options(), {shape});
  contract::Twin(old, 0, 1).put(1, 2);
  const auto file = contract::snapshot(old, CheckpointId{1});
  const auto error_of = [&](const contract::Options& with, contract::Shape changed) {
    contract::Harness world(with, {std::move(changed)});
    const ByteSource& source = *file;
    const auto status = world.backend->restore(std::vector{std::cref(source)});
    EXPECT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kInvalid);
    EXPECT_NE(status.error().what.find("test[0]"), std::string::npos) << status.error().what;
    return status ? std::string() : status.error().what;
  };
  auto renamed = shape;
  renamed.descriptor.schema.state_name = "other";
  EXPECT_NE(error_of(options(), renamed).find("declares no state state of fixed 8"),
            std::string::npos);
  auto retyped = shape;
  retyped.descriptor.schema.value_schema = {std::byte{1}};
  EXPECT_NE(error_of(options(), retyped).find("value: comparing schemas"), std::string::npos);
  auto rekeyed = shape;
  rekeyed.descriptor.schema.key = KeyLayout::fixed(4);
  EXPECT_NE(error_of(options(), rekeyed).find("of another size"), std::string::npos);
  auto rescaled = options();
  rescaled.scale.max_parallelism = 256;
  EXPECT_NE(error_of(rescaled, shape).find("max_parallelism 128, the job has 256"),
            std::string::npos);
}

TEST_P(BackendContract, RefusesATableOfTheSameNameTwice) {
  const auto shape = contract::shape_of("fixed 8", 8, 0, contract::flat8());
  contract::Harness world(options(), {shape});
  const auto again = world.backend->table(shape.descriptor);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().what.find("state of fixed 8"), std::string::npos);
}

}  // namespace weir::state
