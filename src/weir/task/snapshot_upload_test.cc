#include "weir/task/snapshot_upload.h"

#include "tests/support/hand_env.h"
#include "weir/storage/memory/memory_storage.h"

namespace weir::task {
namespace {

using state::OperatorListState;

OperatorListState lists_of(std::size_t bytes) {
  OperatorListState lists;
  lists.put("list", {Bytes{std::byte{11}}, {Bytes(bytes)}});
  return lists;
}

// An upload of one or more operators without keyed state; what it came to is counted.
class UploadRig {
 public:
  std::shared_ptr<SnapshotUpload> make(std::vector<operators::SnapshotWork> works) {
    std::vector<OperatorPart> parts;
    for (auto& work : works) {
      const auto n = std::to_string(parts.size());
      parts.push_back({.id = operator_id_of("op" + n),
                       .name = "op" + n,
                       .keyed_file = "chk-1/keyed" + n,
                       .list_file = "chk-1/lists" + n,
                       .work = std::move(work)});
    }
    return std::make_shared<SnapshotUpload>(storage, io, std::move(parts), false,
                                            [this](auto outcome) {
                                              ++times_told;
                                              told = std::move(outcome);
                                            });
  }

  weir::test::HandIoPool io;
  std::shared_ptr<storage::MemoryVault> vault = std::make_shared<storage::MemoryVault>();
  storage::MemoryStorage storage{vault, "run"};
  int times_told = 0;
  std::optional<SnapshotUpload::Outcome> told;
};

TEST(SnapshotUpload, TellsOnceWhatEveryOperatorHas) {
  UploadRig rig;
  rig.make({operators::captured(lists_of(10)), {}, operators::captured(lists_of(100'000))})->seal();
  rig.io.run_all();
  ASSERT_EQ(rig.times_told, 1);
  ASSERT_TRUE(rig.told->snapshot);
  const auto& operators = rig.told->snapshot->operators;
  ASSERT_EQ(operators.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Bytes>(*operators[0].lists));
  EXPECT_FALSE(operators[1].lists);
  EXPECT_EQ(std::get<checkpoint::FileHandle>(*operators[2].lists).name, "chk-1/lists2");
  EXPECT_EQ(rig.vault->names("").size(), 1u);
  EXPECT_GT(rig.told->bytes, 100'000u);
  const checkpoint::StateSchema want{.op = operator_id_of("op2"),
                                     .state = "list",
                                     .kind = "list",
                                     .key = {},
                                     .name_space = {},
                                     .value = Bytes{std::byte{11}}};
  ASSERT_EQ(rig.told->snapshot->schemas.size(), 2u);
  EXPECT_EQ(rig.told->snapshot->schemas[1], want);
}

TEST(SnapshotUpload, AnErrorOfOneOperatorIsTheOutcomeAndWhatOthersWroteIsRemoved) {
  UploadRig rig;
  rig.make({operators::captured(lists_of(100'000)),
            [](const operators::SnapshotDone& done) {
              done(Error{Code::kUnavailable, "syncing: no"});
            },
            operators::captured(lists_of(100'000))})
      ->seal();
  rig.io.run_all();
  ASSERT_EQ(rig.times_told, 1);
  ASSERT_FALSE(rig.told->snapshot);
  EXPECT_EQ(rig.told->snapshot.error(),
            (Error{Code::kUnavailable, "snapshot of operator op1: syncing: no"}));
  EXPECT_TRUE(rig.vault->names("").empty());
}

// The number of pieces of I/O of a whole upload is small: it is cancelled before each of them.
TEST(SnapshotUpload, CancelledAtAnyPointItLeavesNothingAndTellsItsOutcomeOnce) {
  int points = 0;
  for (bool is_over = false; !is_over; ++points) {
    UploadRig rig;
    auto upload =
        rig.make({operators::captured(lists_of(100'000)), operators::captured(lists_of(100'000))});
    if (points == 0) upload->cancel();
    upload->seal();
    for (int i = 1; i < points && rig.io.waiting() != 0; ++i) rig.io.run_one();
    is_over = rig.io.waiting() == 0;
    upload->cancel();
    upload = nullptr;
    rig.io.run_all();
    ASSERT_EQ(rig.times_told, 1) << points;
    if (is_over) {
      EXPECT_TRUE(rig.told->snapshot);
      EXPECT_EQ(rig.vault->names("").size(), 2u);
    } else {
      ASSERT_FALSE(rig.told->snapshot) << points;
      EXPECT_EQ(rig.told->snapshot.error().code, Code::kCancelled);
      EXPECT_TRUE(rig.vault->names("").empty()) << points;
    }
  }
  EXPECT_GT(points, 3);
}

}  // namespace
}  // namespace weir::task
