#include "tests/support/subtask_rig.h"
#include "weir/operators/process/keys.h"
#include "weir/operators/process/table_of.h"
#include "weir/state/heap/heap_backend.h"
#include "weir/task/restore.h"

namespace weir::task {
namespace {

using operators::Progress;
using test::SubtaskRig;
using Lines = std::vector<std::string>;

state::heap::HeapStateBackend g_heap;

struct Itself {
  std::uint64_t operator()(const std::uint64_t& n) const { return n; }
};

// Counts numbers in keyed state.
class Tally final : public operators::Operator {
 public:
  Status open(operators::OperatorContext& context) override {
    WEIR_ASSIGN(table_, (operators::open_table<std::uint64_t, std::uint64_t>(context, "tally")));
    return ok();
  }
  Progress process(operators::InputIndex, stream::BatchCursor& cursor,
                   operators::Outputs) override {
    while (const auto wanted = std::min(cursor.unread(), state::kKeyBlock)) {
      const auto block = keys_.gather(cursor.batch<std::uint64_t>(), cursor.position(), wanted);
      std::array<void*, state::kKeyBlock> places;
      std::uint64_t is_new = 0;
      const auto n = table_->open_to_write(block, places.data(), is_new);
      for (std::uint32_t i = 0; i != n; ++i) ++*static_cast<std::uint64_t*>(places[i]);
      cursor.advance(n);
      if (n != wanted) return Progress::kBlockedOnState;
    }
    return Progress::kDone;
  }
  state::KeyedTable& table() { return *table_; }

 private:
  operators::KeyGatherer<std::uint64_t, Itself> keys_{Itself{}};
  state::KeyedTable* table_ = nullptr;
};

constexpr std::uint32_t kBatch = 1000;

test::RigOptions with_state() {
  return {.inputs = 1,
          .batch_records = kBatch,
          .backend = &g_heap,
          .staging_bytes_max = 16 << 10,
          .staging_chunk_bytes = 4 << 10};
}

std::vector<std::uint64_t> numbers_from(std::uint64_t first) {
  std::vector<std::uint64_t> numbers(kBatch);
  for (std::uint32_t i = 0; i != kBatch; ++i) numbers[i] = first + i;
  return numbers;
}

TEST(SubtaskState, AWalkThatFindsNoStagingRoomGoesOnWhenTheDiskHasDrainedItThoughNoInputComes) {
  SubtaskRig rig(test::chain_of(std::make_unique<Tally>()), with_state());
  for (std::uint64_t i = 0; i != 20; ++i) {
    rig.send(0, numbers_from(i * kBatch));
    rig.run();
  }
  rig.send_barrier(0, 1);
  rig.step();
  // 20000 entries of 16 bytes do not fit into 16 KiB.
  EXPECT_EQ(rig.subtask->standing(), Standing::kWaitsForInput);
  EXPECT_GE(rig.staging.in_use_bytes(), 4u << 10);
  EXPECT_EQ(rig.master.take(), Lines{"running"});
  int writes = 0;
  for (; rig.hand.io.waiting() != 0; ++writes) {
    rig.hand.io.run_one();
    rig.step();
    EXPECT_LE(rig.staging.in_use_bytes(), 16u << 10);
  }
  EXPECT_GT(writes, 50);
  EXPECT_EQ(rig.master.take(), Lines{"ack 1"});
  EXPECT_EQ(rig.staging.in_use_bytes(), 0u);
}

TEST(SubtaskState, RecordsFlowBesideTheWalkAndTheCheckpointHoldsTheCountsOfTheCut) {
  auto tally = std::make_unique<Tally>();
  auto& op = *tally;
  SubtaskRig rig(test::chain_of(std::move(tally)), with_state());
  for (std::uint64_t i = 0; i != 10; ++i) {
    rig.send(0, numbers_from(i * kBatch));
    rig.run();
  }
  rig.send_barrier(0, 1);
  rig.step();
  for (std::uint64_t i = 0; i != 15; ++i) {
    rig.send(0, numbers_from(i * kBatch));
    rig.run();
  }
  EXPECT_EQ(rig.master.take(), (Lines{"running", "ack 1"}));
  EXPECT_EQ(op.table().entry_count(), 15u * kBatch);

  auto restored = std::make_unique<Tally>();
  auto& again = *restored;
  SubtaskRig next(test::chain_of(std::move(restored)), with_state());
  next.run();
  const auto& schemas = rig.master.acknowledged.at(1).schemas;
  ASSERT_EQ(schemas.size(), 1u);
  EXPECT_EQ(schemas[0].state, "tally");
  EXPECT_EQ(schemas[0].kind, "value");
  EXPECT_EQ(schemas[0].key, schema_bytes(schema_of<std::uint64_t>()));
  EXPECT_EQ(schemas[0].value, schema_bytes(schema_of<std::uint64_t>()));
  const auto& snapshot = rig.master.acknowledged.at(1).operators[0];
  const rpc::OperatorRestore from{.id = snapshot.id, .keyed = snapshot.keyed, .lists = {}};
  ASSERT_TRUE(restore_keyed(*next.keyed, from, rig.storage));
  EXPECT_EQ(again.table().entry_count(), 10u * kBatch);
}

TEST(SubtaskState, AFileThatIsDamagedOrOfAnotherBuildIsNoReasonToChangeTheDeclaration) {
  SubtaskRig rig(test::chain_of(std::make_unique<Tally>()), with_state());
  rig.send(0, numbers_from(0));
  rig.send_barrier(0, 1);
  rig.run();
  const auto& snapshot = rig.master.acknowledged.at(1).operators[0];
  auto file = *storage::read_state(rig.storage, snapshot.keyed.at(0).where, 1 << 20);
  const auto error_of_file = [&] {
    auto keyed = snapshot.keyed;
    keyed[0].where = file;
    SubtaskRig next(test::chain_of(std::make_unique<Tally>()), with_state());
    next.run();
    const auto restored = restore_keyed(
        *next.keyed, {.id = snapshot.id, .keyed = std::move(keyed), .lists = {}}, rig.storage);
    return restored ? std::string() : restored.error().to_string();
  };
  file[10] ^= std::byte{1};  // Of the version.
  EXPECT_NE(error_of_file().find("checksum of header differs"), std::string::npos)
      << error_of_file();
  EXPECT_TRUE(error_of_file().ends_with(storage::kDamagedAdvice)) << error_of_file();
  std::uint32_t length = 0;
  std::memcpy(&length, file.data() + 12, sizeof length);
  const auto right = checksum(ByteView(file).first(16 + length));
  std::memcpy(file.data() + 16 + length, &right, sizeof right);
  EXPECT_NE(error_of_file().find("format version 65537"), std::string::npos) << error_of_file();
  EXPECT_TRUE(error_of_file().ends_with(storage::kOtherBuildAdvice)) << error_of_file();
}

TEST(SubtaskState, AnAbortInTheMiddleOfTheWalkGivesTheStagingAreaBackAndTheNextCheckpointIsWhole) {
  SubtaskRig rig(test::chain_of(std::make_unique<Tally>()), with_state());
  for (std::uint64_t i = 0; i != 10; ++i) {
    rig.send(0, numbers_from(i * kBatch));
    rig.run();
  }
  rig.send_barrier(0, 1);
  rig.step();
  rig.hand.io.run_one();
  rig.step();
  rig.subtask->tell(Aborted{{1}, {}});
  rig.run();
  EXPECT_EQ(rig.staging.in_use_bytes(), 0u);
  EXPECT_TRUE(rig.vault->names("").empty());
  rig.send_barrier(0, 2);
  rig.run();
  EXPECT_EQ(rig.master.take(), (Lines{"running", "ack 2"}));
  std::uint64_t length = 0;
  for (const auto& handle : rig.master.acknowledged.at(2).operators[0].keyed)
    length += std::get<checkpoint::FileHandle>(handle.where).length;
  EXPECT_GT(length, 10u * kBatch * 16);
}

TEST(SubtaskState, CancelledInTheMiddleOfTheWalkItLeavesNothing) {
  SubtaskRig rig(test::chain_of(std::make_unique<Tally>()), with_state());
  for (std::uint64_t i = 0; i != 10; ++i) {
    rig.send(0, numbers_from(i * kBatch));
    rig.run();
  }
  for (int writes = 0; writes != 3; ++writes) {
    rig.send_barrier(0, 1);
    rig.step();
    rig.hand.io.run_one();
    rig.step();
  }
  rig.subtask->tell(Cancel{});
  rig.run();
  EXPECT_EQ(rig.master.take(), (Lines{"running", "cancelled"}));
  EXPECT_EQ(rig.staging.in_use_bytes(), 0u);
  EXPECT_TRUE(rig.vault->names("").empty());
}

TEST(SubtaskState, AThirdCheckpointWhileTwoAreBeingSavedIsDeclined) {
  SubtaskRig rig(test::chain_of(std::make_unique<Tally>()), with_state());
  for (std::uint64_t i = 0; i != 10; ++i) {
    rig.send(0, numbers_from(i * kBatch));
    rig.run();
  }
  for (std::uint64_t id = 1; id != 4; ++id) {
    rig.send_barrier(0, id);
    rig.step();
  }
  const auto lines = rig.master.take();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[1].find("declined 3: unavailable: checkpoint of operator op0[0]"),
            std::string::npos)
      << lines[1];
  rig.run();
  EXPECT_EQ(rig.master.take(), (Lines{"ack 1", "ack 2"}));
}

}  // namespace
}  // namespace weir::task
