#include <cmath>
#include <limits>

#include "weir/state/api/backend_contract_cuts.h"
#include "weir/state/heap/heap_backend.h"
#include "weir/state/heap/internal/inline_key.h"
#include "weir/state/heap/internal/position.h"
#include "weir/state/heap/internal/segment.h"
#include "weir/types/key_hash.h"

namespace weir::state::heap {
namespace {

using contract::Harness;

contract::Options heap_options() {
  contract::Options options;
  options.make = []() -> std::unique_ptr<StateBackend> {
    return std::make_unique<HeapStateBackend>();
  };
  return options;
}

contract::Shape numbers_by_number() {
  return contract::shape_of("fixed 8", 8, 0, contract::flat8());
}

void fill(KeyedTable& table, std::uint64_t from, std::uint64_t to) {
  std::array<std::uint64_t, kKeyBlock> keys, hashes;
  void* places[kKeyBlock];
  std::uint64_t is_new = 0;
  for (auto at = from; at < to; at += kKeyBlock) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kKeyBlock, to - at));
    for (std::uint32_t i = 0; i != count; ++i) {
      keys[i] = at + i;
      hashes[i] = hash_key(keys[i]);
    }
    const KeyBlock block{count, hashes.data(), reinterpret_cast<const std::byte*>(keys.data())};
    ASSERT_EQ(table.open_to_write(block, places, is_new), count);
    for (std::uint32_t i = 0; i != count; ++i) ++*static_cast<std::uint64_t*>(places[i]);
  }
}

TEST(HeapTable, HoldsAnEntryInFewBytesAtAnySize) {
  Harness world(heap_options(), {numbers_by_number()});
  std::uint64_t size = 0;
  for (const std::uint64_t next : {100'000, 141'000, 200'000, 283'000, 400'000}) {
    fill(world.table(0), size, next);
    size = next;
    const auto bytes = static_cast<double>(world.account.used_bytes()) / static_cast<double>(size);
    EXPECT_LE(bytes, 1.6 * 16 + 8) << size;
  }
}

TEST(HeapTable, MemoryComesBackAsEntriesGo) {
  Harness world(heap_options(), {numbers_by_number()});
  fill(world.table(0), 0, 200'000);
  contract::Twin twin(world, 0, 1);
  twin.erase_everything();
  EXPECT_LE(world.account.used_bytes(), std::size_t{3} << 20);  // A slab or two that are kept.
  fill(world.table(0), 0, 1000);
  EXPECT_EQ(world.table(0).entry_count(), 1000u);
}

// In order of key group, so that a restore at another parallelism passes over what it does not need.
TEST(HeapTable, AWalkOfALargeTableGivesBlocksOfFewKeyGroups) {
  Harness world(heap_options(), {numbers_by_number()});
  fill(world.table(0), 0, 200'000);
  contract::Twins twins(world, 1);
  const auto file = contract::snapshot(world, CheckpointId{1});
  const auto reader = *SnapshotReader::open(*file);
  KeyGroup last{0};
  std::uint64_t entries = 0;
  for (const auto& block : reader.blocks()) {
    EXPECT_LE(last, block.key_groups.first);
    EXPECT_LE(block.key_groups.size(), 3u);
    last = block.key_groups.last;
    entries += block.count;
  }
  EXPECT_EQ(entries, 200'000u);
}

// Slots of 16 bytes, and 512 for each segment that a walk looks at.
TEST(HeapTable, AWalkTakesNoMoreThanWhatTheWritesBeforeItHaveLeftOfItsBudget) {
  Harness world(heap_options(), {numbers_by_number()});
  fill(world.table(0), 0, 100'000);
  contract::CutOutput output(world.queue);
  ASSERT_TRUE(world.backend->cut(CheckpointId{1}, CutKind::kWhole, output));
  const auto saved = [&] { return world.backend->statistics().saved_bytes; };
  const auto walk = [&] { return world.backend->walk(16'000)->state; };

  fill(world.table(0), 0, 1000);
  auto before = saved();
  EXPECT_GE(before, 16'000u);
  EXPECT_EQ(walk(), WalkState::kMore);
  EXPECT_EQ(saved(), before);  // The writes have taken all of it.

  fill(world.table(0), 1000, 1500);
  before = saved();
  EXPECT_GE(before, 24'000u);
  EXPECT_EQ(walk(), WalkState::kMore);
  const auto by_half = saved() - before;  // The other half is left.
  EXPECT_GT(by_half, 0u);
  EXPECT_LE(by_half, 8'000u);

  before = saved();
  EXPECT_EQ(walk(), WalkState::kMore);
  const auto by_all = saved() - before;  // Nothing was written.
  EXPECT_GT(by_all, by_half * 3 / 2);
  EXPECT_LE(by_all, 16'000u);
  world.backend->abort(CheckpointId{1});
  world.queue.drain_all();
}

TEST(HeapTable, KeysThatAreAllNanAreOneKey) {
  Harness world(heap_options(), {numbers_by_number()});
  auto& table = world.table(0);
  void* places[kKeyBlock];
  std::uint64_t is_new = 0;
  for (std::uint64_t at = 0; at != 100'032; at += kKeyBlock) {
    contract::Block block(world.shapes[0].descriptor.schema);
    for (std::uint64_t i = 0; i != kKeyBlock; ++i) {
      const auto nan = std::bit_cast<double>(0x7ff8'0000'0000'0000 + at + i);
      ASSERT_TRUE(std::isnan(nan));
      block.add({std::string(text_of(key_bytes(nan))), {}});
    }
    ASSERT_EQ(table.open_to_write(block.view(), places, is_new), kKeyBlock);
    for (auto* place : places) ++*static_cast<std::uint64_t*>(place);
  }
  EXPECT_EQ(table.entry_count(), 1u);
  EXPECT_EQ(*static_cast<std::uint64_t*>(places[0]), 100'032u);
}

// One key with many namespaces is one key group, of 32768: the other groups cost nothing.
TEST(HeapTable, OneCrowdedKeyGroupIsAsCompactAsMany) {
  auto options = heap_options();
  options.scale = {1, 32'768};
  Harness world(options, {contract::shape_of("windows", 8, 8, contract::flat8())});
  std::array<std::uint64_t, kKeyBlock> keys{}, windows{}, hashes{};
  hashes.fill(hash_key(std::uint64_t{0}));
  void* places[kKeyBlock];
  std::uint64_t is_new = 0;
  const auto before = world.account.used_bytes();
  for (std::uint64_t at = 0; at != 100'032; at += kKeyBlock) {
    for (std::uint64_t i = 0; i != kKeyBlock; ++i) windows[i] = at + i;
    const KeyBlock block{.count = kKeyBlock,
                         .hashes = hashes.data(),
                         .fixed = reinterpret_cast<const std::byte*>(keys.data()),
                         .namespaces = reinterpret_cast<const std::byte*>(windows.data())};
    ASSERT_EQ(world.table(0).open_to_write(block, places, is_new), kKeyBlock);
  }
  EXPECT_EQ(world.table(0).entry_count(), 100'032u);
  EXPECT_LE(static_cast<double>(world.account.used_bytes() - before) / 100'032, 1.6 * 24 + 8);
}

TEST(HeapTable, KeysMadeToCollideEndInAnError) {
  Harness world(heap_options(), {numbers_by_number()});
  auto& table = world.table(0);
  std::uint32_t inserted = 0;
  Status status;
  for (std::uint64_t key = 0; inserted <= kSlots && status; ++key) {
    const auto hash = hash_key(key);
    if (hash >> 52 != 0 || key_group_of(hash, 128) != KeyGroup{5}) continue;
    const KeyBlock block{1, &hash, reinterpret_cast<const std::byte*>(&key)};
    void* place = nullptr;
    std::uint64_t is_new = 0;
    inserted += table.open_to_write(block, &place, is_new);
    status = table.error();
  }
  EXPECT_EQ(inserted, kSlots);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kExhausted);
  EXPECT_NE(status.error().what.find("nearly the same hash"), std::string::npos);
  EXPECT_EQ(table.entry_count(), kSlots);
}

// An image is in the order of the hashes: while it is read, the first segments are as deep as those of the full table will
// be, and nearly all of the group lies in one.
TEST(HeapTable, ACrowdedKeyGroupIsRestoredFromItsImage) {
  auto options = heap_options();
  options.scale = {1, 1};
  for (const std::uint64_t entries : {30'000, 300'000, 1'000'000}) {
    Harness world(options, {numbers_by_number()});
    fill(world.table(0), 0, entries);
    const auto file = contract::snapshot(world, CheckpointId{1});
    Harness restored(options, {numbers_by_number()});
    const state::ByteSource& source = *file;
    const auto status = restored.backend->restore(std::vector{std::cref(source)});
    ASSERT_TRUE(status) << status.error().what;
    EXPECT_EQ(restored.table(0).entry_count(), entries);
    EXPECT_EQ(restored.account.used_bytes(), world.account.used_bytes()) << entries;
  }
}

// Numbers of cuts are short; they come round without an image going wrong.
TEST(HeapTable, ImagesStayRightThroughMoreCutsThanNumbers) {
  Harness world(heap_options(), {numbers_by_number()});
  contract::Twins twins(world, 9);
  contract::Cuts cuts(world, twins);
  contract::CutOutput output(world.queue);
  for (std::uint64_t key = 0; key != 1000; ++key) twins[0].put(key, key);
  for (std::uint64_t id = 1'000'000; id != 1'140'000; ++id) {
    ASSERT_TRUE(world.backend->cut(CheckpointId{id}, CutKind::kWhole, output));
    if (id % 40 == 0) twins[0].put(id % 10, id);
    if (id % 64 == 0) world.queue.drain_all();
    world.backend->abort(CheckpointId{id});
    if (id % 10'007 == 0) {
      cuts.take(CutKind::kWhole);
      twins[0].put(id % 1000, id);
      cuts.finish();
    }
  }
  EXPECT_EQ(cuts.compared(), 14);
}

TEST(HeapTable, ASweepOfCutsThatNobodyWalkedLosesNothing) {
  auto options = heap_options();
  options.tracks_changes = true;
  Harness world(options, {numbers_by_number()});
  contract::Twins twins(world, 9);
  contract::Cuts cuts(world, twins);
  contract::CutOutput output(world.queue);
  for (std::uint64_t key = 0; key != 1000; ++key) twins[0].put(key, key);
  cuts.take(CutKind::kDelta);
  cuts.finish();
  cuts.complete_one();
  for (std::uint64_t id = 1'000'000; id != 1'070'000; ++id) {
    ASSERT_TRUE(world.backend->cut(CheckpointId{id}, CutKind::kDelta, output));
    if (id % 500 == 0) twins[0].put(id % 1000, id);
    if (id % 700 == 0) twins[0].remove(id % 1000);
    if (id % 64 == 0) world.queue.drain_all();
    world.backend->abort(CheckpointId{id});
  }
  cuts.take(CutKind::kDelta);
  cuts.finish();
  EXPECT_EQ(cuts.deltas_compared(), 0);  // Its base is too long ago.
  cuts.complete_one();
  twins[0].put(5, 5);
  cuts.take(CutKind::kDelta);
  cuts.finish();
  EXPECT_EQ(cuts.deltas_compared(), 1);
}

TEST(InlineKey, ComparesKeysOfEveryLength) {
  for (std::size_t length = 0; length != 40; ++length) {
    std::string text(length, 'a');
    for (std::size_t i = 0; i != length; ++i) text[i] = static_cast<char>('a' + i % 26);
    const auto copy = text;
    const auto key = InlineKey::of(text);
    EXPECT_TRUE(key.equals(InlineKey::of(copy)));
    EXPECT_EQ(InlineKey::view(reinterpret_cast<const std::byte*>(&key)), text);
    EXPECT_FALSE(key.equals(InlineKey::of(text + "x")));
    EXPECT_FALSE(key.equals(InlineKey::of(text + std::string(1, '\0'))));
    for (std::size_t i = 0; i != length; ++i) {
      auto other = text;
      other[i] = '#';
      EXPECT_FALSE(key.equals(InlineKey::of(other)));
    }
  }
}

TEST(Segment, MatchFindsEverySlot) {
  Segment segment;
  segment.reset(3, 5);
  EXPECT_EQ(segment.free(), kAllSlots);
  for (std::uint32_t slot = 0; slot != kSlots; ++slot) {
    segment.tags[slot] = static_cast<std::uint8_t>(1 + slot % 5);
    EXPECT_EQ(segment.used(), slot_bit(slot + 1) - 1);
  }
  for (std::uint8_t tag = 0; tag != 8; ++tag) {
    std::uint64_t wanted = 0;
    for (std::uint32_t slot = 0; slot != kSlots; ++slot)
      if (segment.tags[slot] == tag) wanted |= slot_bit(slot);
    EXPECT_EQ(segment.match(tag), wanted);
  }
}

TEST(Segment, ItsHeaderKeepsFourThingsApart) {
  Segment segment;
  segment.reset(65'535, 47);
  segment.set_cut(65'534, kAllSlots);
  segment.mark_dirty(kAllSlots);
  segment.set_depth(40);
  segment.forget_pending(1);
  segment.forget_dirty(2);
  EXPECT_EQ(segment.cut(), 65'534u);
  EXPECT_EQ(segment.pending(), kAllSlots & ~std::uint64_t{1});
  EXPECT_EQ(segment.dirty(), kAllSlots & ~std::uint64_t{2});
  EXPECT_EQ(segment.depth(), 40u);
  EXPECT_TRUE(is_before(65'535, 2));
  EXPECT_FALSE(is_before(2, 65'535));
  EXPECT_FALSE(is_before(7, 7));
}

TEST(GroupMap, AgreesWithKeyGroupsForEveryMaxParallelism) {
  Random random(1);
  for (std::uint32_t max = 1; max < 3000; max += 1 + max / 7) {
    const GroupMap map({KeyGroup{max / 3}, KeyGroup{max - 1}}, max);
    for (int i = 0; i != 2'000; ++i) {
      const auto hash = i == 0 ? ~std::uint64_t{0} : random.next();
      const auto group = key_group_of(hash, max);
      if (group.value < max / 3) continue;
      ASSERT_EQ(map.key_group(map.group_of(hash)), group);
    }
  }
}

TEST(GroupMap, PositionsOfManyAreThoseOfEach) {
  Random random(1);
  const GroupMap map({KeyGroup{0}, KeyGroup{127}}, 128);
  std::array<std::uint64_t, 64> hashes;
  for (auto& hash : hashes) hash = random.next();
  std::array<std::uint32_t, 64> groups, spreads;
  std::array<std::uint8_t, 64> tags;
  map.positions_of(hashes.data(), 64, groups.data(), spreads.data(), tags.data());
  for (int i = 0; i != 64; ++i) {
    EXPECT_EQ(map.position_of(hashes[i]).word(), (Position{groups[i], spreads[i]}).word());
    EXPECT_EQ(tags[i], tag_of(hashes[i]));
    EXPECT_NE(tags[i], 0);
  }
}

TEST(Spread, GrowsWithTheHashAndIsTwiceAsDenseAtOneEnd) {
  std::uint32_t before = 0;
  for (std::uint64_t x = 0; x < std::uint64_t{1} << 32; x += 65'537) {
    const auto spread = spread_of(x << 32);
    ASSERT_GE(spread, before);
    before = spread;
  }
  EXPECT_EQ(spread_of(0), 0u);
  EXPECT_GE(spread_of(~std::uint64_t{0}), ~std::uint32_t{0} - 1);
  const auto step = std::uint64_t{1} << 40;  // of the hash
  const auto at_begin = spread_of(step) - spread_of(0);
  const auto at_end = spread_of(~std::uint64_t{0}) - spread_of(~std::uint64_t{0} - step);
  EXPECT_NEAR(static_cast<double>(at_end) / at_begin, 2.0, 0.03);
}

}  // namespace
}  // namespace weir::state::heap
