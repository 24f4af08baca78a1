// What a crash of the machine leaves of a Volume.

#include <algorithm>
#include <set>

#include "weir/env/sim/internal/volume.h"

namespace weir::sim {
namespace {

constexpr std::uint64_t kSector = 512;

// How much of what one inode had unsynced survives. Drawn per inode: the extremes are what real
// machines do most, and what a coin per change would hardly ever show.
class Survival {
 public:
  Survival(CrashMode mode, Random& random)
      : random_(random), kind_(mode == CrashMode::kKeepNothing ? 0 : random.below(3)) {}
  bool keeps() { return kind_ == 2 || (kind_ == 1 && random_.below(2) == 0); }
  bool is_partial() const { return kind_ == 1; }

 private:
  Random& random_;
  const std::uint64_t kind_;
};

// Some of the sectors that the write touches get there; the others keep what they had, or zeros.
void write_sectors(Bytes& content, std::uint64_t offset, ByteView bytes, Random& random) {
  const auto end = offset + bytes.size();
  if (content.size() < end) content.resize(end);
  for (std::uint64_t at = offset; at < end;) {
    const auto next = std::min(end, (at / kSector + 1) * kSector);
    if (random.below(2) == 0) write_at(content, at, bytes.subspan(at - offset, next - at));
    at = next;
  }
}

void write_torn(Bytes& content, const UnsyncedWrite& write, Random& random) {
  const ByteView bytes(write.bytes);
  switch (random.below(3)) {
    case 0:
      return write_at(content, write.offset, bytes);
    case 1:
      return write_at(content, write.offset, bytes.first(random.below(bytes.size() + 1)));
    default:
      return write_sectors(content, write.offset, bytes, random);
  }
}

// The length is written apart from the data: it may be short of what survived, or ahead of it.
void tear_length(Bytes& content, std::uint64_t durable_size, std::uint64_t seen_size,
                 Random& random) {
  const std::uint64_t size = content.size();
  switch (random.below(3)) {
    case 0:
      return;
    case 1:
      content.resize(durable_size + random.below(size - durable_size + 1));
      return;
    default:
      if (size < seen_size) content.resize(size + random.below(seen_size - size + 1));
  }
}

void crash_file(Inode& file, CrashMode mode, Random& random) {
  Survival survival(mode, random);
  Bytes content = file.durable;
  std::uint64_t durable_size = content.size();
  bool lost_any = false;
  for (const auto& write : file.unsynced) {
    if (!survival.keeps()) {
      lost_any = true;
    } else if (write.is_truncation) {
      content.clear();
      durable_size = 0;
    } else if (survival.is_partial()) {
      write_torn(content, write, random);
    } else {
      write_at(content, write.offset, write.bytes);
    }
  }
  const bool had_any = !file.unsynced.empty();
  if (had_any && survival.is_partial() && (lost_any || random.below(2) == 0))
    tear_length(content, durable_size, file.content.size(), random);
  file.durable = content;
  file.content = std::move(content);
  file.unsynced.clear();
}

// A change survives only if all earlier ones of its names do, so that a name goes through its
// states in order, though different names do not keep step.
void crash_names(Inode& directory, CrashMode mode, Random& random) {
  Survival survival(mode, random);
  std::set<std::string> stopped;
  for (const auto& change : directory.unsynced_names) {
    const bool follows_a_lost_one =
        stopped.contains(change.removed) || stopped.contains(change.added);
    if (follows_a_lost_one || !survival.keeps()) {
      if (!change.removed.empty()) stopped.insert(change.removed);
      if (!change.added.empty()) stopped.insert(change.added);
      continue;
    }
    if (!change.removed.empty()) directory.durable_entries.erase(change.removed);
    if (!change.added.empty()) directory.durable_entries[change.added] = change.inode;
  }
  directory.unsynced_names.clear();
  directory.entries = directory.durable_entries;
}

}  // namespace

void Volume::crash(CrashMode mode, Random& random) {
  if (mode == CrashMode::kKeepEverything) return;
  std::erase_if(inodes_, [](const auto& inode) { return inode.second.expired(); });
  // In order of number, so that the same draws meet the same inodes. All are held until the end.
  std::vector<InodePtr> all;
  for (const auto& [number, inode] : inodes_) all.push_back(inode.lock());
  for (const auto& inode : all) {
    if (inode->is_directory) {
      crash_names(*inode, mode, random);
    } else {
      crash_file(*inode, mode, random);
    }
  }
  recount();
}

// What has a name now. Handles of processes that are gone may still be released: they count
// nothing.
void Volume::recount() {
  bytes_used_ = 0;
  for (const auto& [number, weak] : inodes_) {
    const auto inode = weak.lock();
    if (!inode) continue;
    inode->names = 0;
    inode->is_counted = false;
  }
  std::vector<Inode*> open{root_.get()};
  while (!open.empty()) {
    Inode* directory = open.back();
    open.pop_back();
    for (const auto& [name, inode] : directory->entries) {
      ++inode->names;
      count(*inode);
      if (inode->is_directory) open.push_back(inode.get());
    }
  }
}

}  // namespace weir::sim
