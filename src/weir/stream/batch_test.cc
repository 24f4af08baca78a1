#include <string>
#include <thread>

#include "weir/base/random.h"
#include "weir/stream/batch_cursor.h"

namespace weir::stream {
namespace {

struct Person {
  std::string name;
  std::int32_t age = 0;
  friend bool operator==(const Person&, const Person&) = default;
};

void fill(RecordBatch<std::uint64_t>& batch, std::uint32_t count) {
  for (std::uint32_t i = 0; i != count; ++i) {
    batch.append() = i;
    if (batch.hashes()) batch.hashes()[i] = std::uint64_t{i} * 7;
    if (batch.timestamps()) batch.timestamps()[i] = {i};
  }
}

TEST(RecordBatch, ClearingKeepsTheCapacityOfStrings) {
  RecordBatch<Person> batch;
  batch.append().name = std::string(100, 'x');
  batch.clear();
  EXPECT_EQ(batch.size(), 0u);
  EXPECT_GE(batch.append().name.capacity(), 100u);
}

TEST(RecordBatch, MovedRecordsTakeTheirColumnsAlong) {
  RecordBatch<std::uint64_t> from({.timestamps = true, .hashes = true});
  fill(from, 10);
  RecordBatch<std::uint64_t> to({.timestamps = true, .hashes = true});
  from.move_range(3, 4, to);
  ASSERT_EQ(to.size(), 4u);
  for (std::uint32_t i = 0; i != 4; ++i) {
    EXPECT_EQ(to[i], i + 3u);
    EXPECT_EQ(to.hashes()[i], (i + 3u) * 7);
    EXPECT_EQ(to.timestamps()[i].ms, i + 3);
  }
}

// Both the loop for two targets and the general one, against dealing by hand, for every place where a target may
// become full.
TEST(RecordBatch, ScatteringStopsAtTheFirstFullTargetAndLosesNothing) {
  Random random(1);
  for (const std::size_t target_count : {2u, 3u}) {
    for (std::uint32_t capacity = 1; capacity != 40; ++capacity) {
      RecordBatch<std::uint64_t> batch({.hashes = true});
      fill(batch, 100);
      std::vector<std::uint16_t> target_of(100);
      for (auto& target : target_of)
        target = static_cast<std::uint16_t>(random.below(target_count));
      std::vector<std::vector<std::uint64_t>> got(target_count);
      std::vector<std::unique_ptr<RecordBatch<std::uint64_t>>> targets;
      std::vector<AnyBatch*> pointers;
      for (std::size_t i = 0; i != target_count; ++i) {
        targets.push_back(
            std::make_unique<RecordBatch<std::uint64_t>>(Columns{.hashes = true}, capacity));
        pointers.push_back(targets.back().get());
      }
      for (std::uint32_t at = 0; at != 100;) {
        const auto moved = batch.scatter(at, target_of, pointers);
        at += moved;
        ASSERT_TRUE(at == 100 || targets[target_of[at]]->is_full());
        for (std::size_t i = 0; i != target_count; ++i) {
          for (std::uint32_t j = 0; j != targets[i]->size(); ++j) {
            EXPECT_EQ(targets[i]->hashes()[j], (*targets[i])[j] * 7);
            got[i].push_back((*targets[i])[j]);
          }
          targets[i]->clear();
        }
      }
      for (std::size_t i = 0; i != target_count; ++i) {
        std::vector<std::uint64_t> want;
        for (std::uint64_t n = 0; n != 100; ++n)
          if (target_of[n] == i) want.push_back(n);
        EXPECT_EQ(got[i], want);
      }
    }
  }
}

TEST(RecordBatch, ReadsWhatItSerialised) {
  RecordBatch<Person> from({.timestamps = true});
  for (std::int32_t i = 0; i != 5; ++i) {
    from.append() = {"person " + std::to_string(i), i};
    from.timestamps()[i] = {std::int64_t{i} * 1000};
  }
  Bytes bytes;
  ByteWriter writer(bytes);
  from.serialise_range(1, 3, writer);
  RecordBatch<Person> to({.timestamps = true});
  ByteReader reader(bytes);
  ASSERT_TRUE(to.deserialise(reader, {}));
  EXPECT_EQ(reader.remaining(), 0u);
  ASSERT_EQ(to.size(), 3u);
  EXPECT_EQ(to[2], (Person{"person 3", 3}));
  EXPECT_EQ(to.timestamps()[2].ms, 3000);

  for (std::size_t length = 0; length != bytes.size(); ++length) {
    RecordBatch<Person> cut({.timestamps = true});
    ByteReader truncated(ByteView(bytes).first(length));
    EXPECT_FALSE(cut.deserialise(truncated, {})) << length;
  }
}

TEST(RecordBatch, ARunLargerThanTheRoomIsRefused) {
  RecordBatch<std::uint64_t> from;
  fill(from, 10);
  Bytes bytes;
  ByteWriter writer(bytes);
  from.serialise_range(0, 10, writer);
  RecordBatch<std::uint64_t> small({}, 9);
  ByteReader reader(bytes);
  EXPECT_FALSE(small.deserialise(reader, {}));
}

TEST(RecordBatch, TextsStayAliveWhileAnyBatchHoldsTheirBlock) {
  auto pool = ByteBlockPool::make(1024);
  RecordBatch<Text> first;
  RecordBatch<Text> second;
  {
    auto block = pool->take();
    std::memcpy(block->bytes().data(), "barrier", 7);
    first.hold(block);
    first.append() = Text(std::string_view(reinterpret_cast<char*>(block->bytes().data()), 7));
  }
  first.move_range(0, 1, second);
  first.clear();
  pool.reset();  // The block keeps what it needs of its pool.
  EXPECT_EQ(second[0].view(), "barrier");
}

TEST(ByteBlockPool, ASteadyStreamMakesNoNewBlocks) {
  const auto pool = ByteBlockPool::make(64);
  for (int i = 0; i != 100; ++i) {
    const auto a = pool->take();
    const auto b = pool->take();
    EXPECT_NE(a.get(), b.get());
  }
  EXPECT_EQ(pool->made(), 2u);
}

TEST(ByteBlockPool, BlocksComeBackFromAnotherThread) {
  const auto pool = ByteBlockPool::make(64);
  for (int i = 0; i != 50; ++i) {
    auto block = pool->take();
    std::thread([taken = std::move(block)] {}).join();
  }
  EXPECT_EQ(pool->made(), 1u);
}

TEST(ByteBlockPool, AnOversizedBlockIsNotKept) {
  const auto pool = ByteBlockPool::make(64);
  EXPECT_EQ(pool->take(1000)->capacity(), 1000u);
  EXPECT_EQ(pool->take()->capacity(), 64u);
}

TEST(BatchCursor, SaysWhatIsUnread) {
  RecordBatch<std::uint64_t> batch;
  fill(batch, 10);
  BatchCursor cursor(batch);
  cursor.advance(4);
  EXPECT_EQ(cursor.unread(), 6u);
  EXPECT_EQ(cursor.batch<std::uint64_t>()[cursor.position()], 4u);
  cursor.advance(6);
  EXPECT_TRUE(cursor.is_done());
  EXPECT_TRUE(BatchCursor().is_done());
}

}  // namespace
}  // namespace weir::stream
