#include "tests/support/memory_files.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace weir::test {

using env::Create;
using env::DirectoryEntry;
using env::FileInfo;

// A file or a directory, as it looks now and as it would look after a power cut.
struct MemoryFiles::Node {
  using Entries = std::map<std::string, std::shared_ptr<Node>>;

  bool is_directory = false;
  bool is_locked = false;
  Bytes bytes;
  Bytes durable_bytes;
  Entries entries;
  Entries durable_entries;

  void forget_unsynced() {
    is_locked = false;
    bytes = durable_bytes;
    entries = durable_entries;
    for (auto& [name, node] : entries) node->forget_unsynced();
  }
};

struct MemoryFiles::Disk {
  Mutex mutex;
  std::shared_ptr<Node> root WEIR_GUARDED_BY(mutex) = std::make_shared<Node>();
  std::uint64_t cuts WEIR_GUARDED_BY(mutex) = 0;
};

// Where a path leads: its directory, its last name and, where there is one, the node.
struct MemoryFiles::Place {
  std::shared_ptr<Node> directory;  // nullptr where it is missing
  std::string name;                 // empty for the root
  std::shared_ptr<Node> node;

  static Place find(const std::shared_ptr<Node>& root, const std::string& path) {
    Place place{nullptr, "", root};
    std::size_t at = 0;
    while (at < path.size()) {
      const auto end = std::min(path.find('/', at), path.size());
      const auto name = path.substr(at, end - at);
      at = end + 1;
      if (name.empty() || name == ".") continue;
      place.directory = place.node && place.node->is_directory ? place.node : nullptr;
      place.name = name;
      place.node = nullptr;
      if (!place.directory) continue;
      const auto entry = place.directory->entries.find(name);
      if (entry != place.directory->entries.end()) place.node = entry->second;
    }
    return place;
  }
};

namespace {

Error error(Code code, const std::string& call, const std::string& path, const std::string& why) {
  return {code, call + " " + path + ": " + why};
}
Error missing(const std::string& call, const std::string& path) {
  return error(Code::kNotFound, call, path, "No such file or directory");
}
Error exists(const std::string& call, const std::string& path) {
  return error(Code::kRefused, call, path, "File exists");
}
Error power_cut(const std::string& path) {
  return error(Code::kUnavailable, "using", path, "the power was cut");
}

}  // namespace

class MemoryFiles::Reader final : public env::ReadableFile {
 public:
  Reader(std::shared_ptr<Disk> disk, std::shared_ptr<Node> node)
      : disk_(std::move(disk)), node_(std::move(node)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    MutexLock lock(disk_->mutex);
    const auto& bytes = node_->bytes;
    if (offset >= bytes.size()) return std::size_t{0};
    const auto size = std::min<std::size_t>(into.size(), bytes.size() - offset);
    if (size != 0) std::memcpy(into.data(), bytes.data() + offset, size);
    return size;
  }
  Result<std::uint64_t> size() override {
    MutexLock lock(disk_->mutex);
    return std::uint64_t{node_->bytes.size()};
  }

 private:
  const std::shared_ptr<Disk> disk_;
  const std::shared_ptr<Node> node_;
};

class MemoryFiles::Writer final : public env::WritableFile {
 public:
  struct Opened {
    std::string path;
    std::uint64_t cuts;
  };
  Writer(std::shared_ptr<Disk> disk, std::shared_ptr<Node> node, Opened opened)
      : disk_(std::move(disk)), node_(std::move(node)), opened_(std::move(opened)) {}

  Status append(ByteView bytes) override {
    MutexLock lock(disk_->mutex);
    if (disk_->cuts != opened_.cuts) return power_cut(opened_.path);
    node_->bytes.insert(node_->bytes.end(), bytes.begin(), bytes.end());
    return ok();
  }
  Status sync() override {
    MutexLock lock(disk_->mutex);
    if (disk_->cuts != opened_.cuts) return power_cut(opened_.path);
    node_->durable_bytes = node_->bytes;
    return ok();
  }
  Status close() override { return ok(); }

 private:
  const std::shared_ptr<Disk> disk_;
  const std::shared_ptr<Node> node_;
  const Opened opened_;
};

class MemoryFiles::Lock final : public env::FileLock {
 public:
  Lock(std::shared_ptr<Disk> disk, std::shared_ptr<Node> node, std::uint64_t cuts)
      : disk_(std::move(disk)), node_(std::move(node)), cuts_(cuts) {}
  ~Lock() override {
    MutexLock lock(disk_->mutex);
    if (disk_->cuts == cuts_) node_->is_locked = false;
  }

 private:
  const std::shared_ptr<Disk> disk_;
  const std::shared_ptr<Node> node_;
  const std::uint64_t cuts_;
};

MemoryFiles::MemoryFiles() : disk_(std::make_shared<Disk>()) {
  MutexLock lock(disk_->mutex);
  disk_->root->is_directory = true;
}
MemoryFiles::~MemoryFiles() = default;

void MemoryFiles::cut_power() {
  MutexLock lock(disk_->mutex);
  disk_->cuts++;
  disk_->root->forget_unsynced();
}

std::vector<std::string> MemoryFiles::tree(const std::string& path) {
  std::vector<std::string> out;
  const auto entries = list(path);
  if (!entries) return out;
  for (const auto& entry : *entries) {
    if (!entry.is_directory) {
      out.push_back(entry.name);
      continue;
    }
    for (const auto& below : tree(env::join(path, entry.name)))
      out.push_back(env::join(entry.name, below));
  }
  return out;
}

Result<Bytes> MemoryFiles::peek(const std::string& path) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.node || place.node->is_directory) return missing("peek", path);
  return place.node->bytes;
}

void MemoryFiles::poke(const std::string& path, Bytes bytes) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  WEIR_CHECK(place.directory != nullptr);
  auto& node = place.directory->entries[place.name];
  node = std::make_shared<Node>();
  node->bytes = bytes;
  node->durable_bytes = std::move(bytes);
  place.directory->durable_entries[place.name] = node;
}

Result<std::unique_ptr<env::ReadableFile>> MemoryFiles::open(const std::string& path) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.node) return missing("open", path);
  if (place.node->is_directory) return error(Code::kInvalid, "open", path, "Is a directory");
  return std::unique_ptr<env::ReadableFile>(std::make_unique<Reader>(disk_, place.node));
}

Result<std::unique_ptr<env::WritableFile>> MemoryFiles::create(const std::string& path,
                                                               Create how) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.directory) return missing("open", path);
  if (place.node && how == Create::kNew) return exists("open", path);
  if (place.node && place.node->is_directory)
    return error(Code::kInvalid, "open", path, "Is a directory");
  auto& node = place.directory->entries[place.name];
  if (!node) node = std::make_shared<Node>();
  node->bytes.clear();
  return std::unique_ptr<env::WritableFile>(
      std::make_unique<Writer>(disk_, node, Writer::Opened{path, disk_->cuts}));
}

Status MemoryFiles::rename(const std::string& from, const std::string& to) {
  MutexLock lock(disk_->mutex);
  const auto source = Place::find(disk_->root, from);
  const auto target = Place::find(disk_->root, to);
  if (!source.node || !target.directory) return missing("rename", from + " to " + to);
  if (target.node && target.node->is_directory) return exists("rename", from + " to " + to);
  target.directory->entries[target.name] = source.node;
  source.directory->entries.erase(source.name);
  return ok();
}

Status MemoryFiles::link(const std::string& from, const std::string& to) {
  MutexLock lock(disk_->mutex);
  const auto source = Place::find(disk_->root, from);
  const auto target = Place::find(disk_->root, to);
  if (!source.node || !target.directory) return missing("link", from + " to " + to);
  if (target.node) return exists("link", from + " to " + to);
  target.directory->entries[target.name] = source.node;
  return ok();
}

Status MemoryFiles::remove(const std::string& path) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.node) return missing("unlink", path);
  if (place.node->is_directory) return error(Code::kInvalid, "unlink", path, "Is a directory");
  place.directory->entries.erase(place.name);
  return ok();
}

Status MemoryFiles::remove_directory(const std::string& path) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.node || !place.directory) return missing("rmdir", path);
  if (!place.node->is_directory) return error(Code::kInvalid, "rmdir", path, "Not a directory");
  if (!place.node->entries.empty())
    return error(Code::kRefused, "rmdir", path, "Directory not empty");
  place.directory->entries.erase(place.name);
  return ok();
}

Status MemoryFiles::make_directories(const std::string& path) {
  MutexLock lock(disk_->mutex);
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const auto place = Place::find(disk_->root, path.substr(0, end));
    if (place.node && !place.node->is_directory)
      return error(Code::kInvalid, "mkdir", path, "Not a directory");
    if (place.node) continue;
    auto made = std::make_shared<Node>();
    made->is_directory = true;
    place.directory->entries[place.name] = made;
    place.directory->durable_entries[place.name] = made;
  }
  return ok();
}

Status MemoryFiles::sync_directory(const std::string& path) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.node) return missing("fsync", path);
  if (!place.node->is_directory) return error(Code::kInvalid, "fsync", path, "Not a directory");
  place.node->durable_entries = place.node->entries;
  return ok();
}

Result<std::vector<DirectoryEntry>> MemoryFiles::list(const std::string& path) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.node) return missing("opendir", path);
  if (!place.node->is_directory) return error(Code::kInvalid, "opendir", path, "Not a directory");
  std::vector<DirectoryEntry> out;
  for (const auto& [name, node] : place.node->entries) out.push_back({name, node->is_directory});
  return out;
}

Result<FileInfo> MemoryFiles::info(const std::string& path) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.node) return missing("stat", path);
  return FileInfo{.size = place.node->bytes.size(), .is_directory = place.node->is_directory};
}

Result<env::LockOutcome> MemoryFiles::lock(const std::string& path) {
  MutexLock lock(disk_->mutex);
  const auto place = Place::find(disk_->root, path);
  if (!place.directory) return missing("open", path);
  using Kind = env::LockOutcome::Kind;
  if (place.node && place.node->is_directory)
    return error(Code::kInvalid, "open", path, "Is a directory");
  if (!has_locks_)
    return env::LockOutcome{Kind::kNoLocks, nullptr,
                            "flock " + path + ": this filesystem has no locks"};
  auto& node = place.directory->entries[place.name];
  if (!node) node = std::make_shared<Node>();
  if (node->is_locked)
    return env::LockOutcome{Kind::kHeldElsewhere, nullptr,
                            "flock " + path + ": it is held already"};
  node->is_locked = true;
  return env::LockOutcome{.lock = std::make_unique<Lock>(disk_, node, disk_->cuts), .why = {}};
}

}  // namespace weir::test
