#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "weir/state/api/backend_contract_twin.h"

namespace weir::state::contract {

// Cuts of a backend, each compared with a copy of its twins' content that was made when it was taken.
class Cuts {
 public:
  Cuts(Harness& world, Twins& twins) : world_(world), twins_(twins) {}

  // Nothing happens while two are open.
  void take(CutKind kind) {
    if (open_.size() == KeyedBackend::kOpenCutsMax) return;
    Taken cut;
    cut.id = CheckpointId{++last_id_};
    cut.output = std::make_unique<CutOutput>(world_.queue);
    const auto taken = world_.backend->cut(cut.id, kind, *cut.output);
    ASSERT_TRUE(taken) << taken.error().what;
    cut.how = *taken;
    cut.content = twins_.content();
    if (taken->kind == CutKind::kDelta) cut.base = bases_.at(taken->base);
    open_.push_back(std::move(cut));
  }
  // False where the walk found the staging area full.
  bool walk(std::uint64_t budget) {
    const auto progress = world_.backend->walk(budget);
    EXPECT_TRUE(progress) << progress.error().what;
    EXPECT_EQ(progress->state == WalkState::kIdle, open_.empty());
    if (progress->state == WalkState::kDone) {
      EXPECT_EQ(progress->done, open_.front().id);
      world_.queue.drain_all();
      compare(open_.front());
      done_.push_back(std::move(open_.front()));
      open_.pop_front();
    }
    return progress->state != WalkState::kBlocked;
  }
  void finish() {
    while (!open_.empty())
      if (!walk(10'000)) world_.queue.drain(1);
  }
  void abort_one(Random& random) {
    auto& from = random.one_in(2) ? open_ : done_;
    if (from.empty()) return;
    const auto victim = from.begin() + static_cast<std::ptrdiff_t>(random.below(from.size()));
    world_.backend->abort(victim->id);
    aborted_.push_back(std::move(*victim));  // Blocks of it may still be on their way.
    from.erase(victim);
  }
  void complete_one() {
    if (done_.empty()) return;
    world_.backend->complete(done_.front().id);
    bases_[done_.front().id] = std::move(done_.front().content);
    done_.pop_front();
  }
  int compared() const { return compared_; }
  int deltas_compared() const { return deltas_compared_; }
  const std::vector<DenseBlock>& last_blocks() const { return last_blocks_; }

 private:
  struct Taken {
    CheckpointId id;
    CutTaken how;
    std::unique_ptr<CutOutput> output;
    std::vector<Content> content;
    std::vector<Content> base;
  };

  void compare(Taken& cut) {
    ++compared_;
    const bool is_delta = cut.how.kind == CutKind::kDelta;
    if (is_delta) ++deltas_compared_;
    std::vector<Content> image(cut.content.size());
    if (is_delta) image = cut.base;
    for (const auto kind : {BlockKind::kDeletes, BlockKind::kEntries}) {
      std::vector<Content> seen(image.size());
      for (const auto& block : cut.output->blocks)
        if (block.kind == kind) apply(block, image[block.table], seen[block.table]);
      EXPECT_TRUE(is_delta || kind == BlockKind::kEntries ||
                  seen == std::vector<Content>(image.size()));
    }
    EXPECT_TRUE(image == cut.content)
        << "the image of checkpoint " << cut.id.value << " is another";
    last_blocks_ = std::move(cut.output->blocks);
  }
  void apply(const DenseBlock& block, Content& image, Content& seen) {
    const auto schemas = world_.backend->tables();
    const BlockPlace place{0,           block.table,        block.kind, block.key_groups,
                           block.count, block.bytes.size(), 0};
    BlockEntries entries(schemas[block.table], place, block.bytes);
    KeyGroup least{~0u}, greatest{0};
    while (const auto entry = entries.next()) {
      const EntryKey key{std::string(entry->key), std::string(text_of(entry->name_space))};
      const Bytes value(entry->value.begin(), entry->value.end());
      const auto group =
          key_group_of(checksum(bytes_of(key.first)), world_.options.scale.max_parallelism);
      least = std::min(least, group);
      greatest = std::max(greatest, group);
      if (block.kind == BlockKind::kDeletes) {
        image.erase(key);
      } else {
        EXPECT_TRUE(seen.emplace(key, value).second) << "an entry was saved twice";
        image[key] = value;
      }
    }
    EXPECT_TRUE(entries.is_whole());
    EXPECT_EQ(block.key_groups, (KeyGroupRange{least, greatest}));
  }

  Harness& world_;
  Twins& twins_;
  std::uint64_t last_id_ = 0;
  std::deque<Taken> open_;
  std::deque<Taken> done_;
  std::deque<Taken> aborted_;
  std::map<CheckpointId, std::vector<Content>> bases_;
  std::vector<DenseBlock> last_blocks_;
  int compared_ = 0;
  int deltas_compared_ = 0;
};

inline SnapshotHeader header_of(const Harness& world, CheckpointId id) {
  SnapshotHeader header;
  header.epoch = Epoch{1};
  header.checkpoint = id;
  header.operator_id = operator_id_of("test");
  header.max_parallelism = world.options.scale.max_parallelism;
  header.key_groups = world.range;
  header.tables = world.backend->tables();
  return header;
}

// The file of a whole cut of what the backend holds now.
inline std::unique_ptr<MemoryFile> snapshot(Harness& world, CheckpointId id) {
  auto file = std::make_unique<MemoryFile>("chk-" + std::to_string(id.value) + "/op");
  auto writer = *SnapshotWriter::begin(*file, header_of(world, id));
  CutOutput output(world.queue);
  EXPECT_TRUE(world.backend->cut(id, CutKind::kWhole, output));
  for (;;) {
    const auto progress = *world.backend->walk(100'000);
    world.queue.drain_all();
    if (progress.state == WalkState::kDone) break;
  }
  world.queue.drain_all();
  for (const auto& block : output.blocks) EXPECT_TRUE(writer.append(block));
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(writer.bytes_written(), file->size());
  return file;
}

}  // namespace weir::state::contract
