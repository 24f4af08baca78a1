#include "weir/storage/memory/memory_storage.h"

#include <algorithm>
#include <cstring>

#include "weir/storage/api/checkpoint_names.h"

namespace weir::storage {
namespace {

Error exists(const std::string& name) {
  return {Code::kRefused, "creating " + name + ": it exists already"};
}

class MemoryStream final : public CheckpointStream {
 public:
  struct Names {
    std::string name;  // relative, for the handle
    std::string path;
  };
  MemoryStream(std::shared_ptr<MemoryVault> vault, Names names)
      : vault_(std::move(vault)), names_(std::move(names)) {}
  ~MemoryStream() override {
    if (is_open_) abort();
  }

  Status append(ByteView bytes) override {
    WEIR_CHECK(is_open_);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return ok();
  }
  Result<checkpoint::FileHandle> commit(std::uint64_t checksum) override {
    WEIR_CHECK(is_open_);
    is_open_ = false;
    checkpoint::FileHandle handle{names_.name, bytes_.size(), checksum};
    vault_->put(names_.path, std::move(bytes_));
    return handle;
  }
  void abort() override {
    if (is_open_) vault_->erase(names_.path);
    is_open_ = false;
  }

 private:
  const std::shared_ptr<MemoryVault> vault_;
  const Names names_;
  Bytes bytes_;
  bool is_open_ = true;
};

class MemoryFile final : public env::ReadableFile {
 public:
  explicit MemoryFile(MemoryVault::Content content) : content_(std::move(content)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset >= content_->size()) return std::size_t{0};
    const auto size = std::min<std::size_t>(into.size(), content_->size() - offset);
    if (size != 0) std::memcpy(into.data(), content_->data() + offset, size);
    return size;
  }
  Result<std::uint64_t> size() override { return std::uint64_t{content_->size()}; }

 private:
  const MemoryVault::Content content_;
};

}  // namespace

bool MemoryVault::reserve(const std::string& name) {
  MutexLock lock(mutex_);
  return files_.emplace(name, nullptr).second;
}
void MemoryVault::put(const std::string& name, Bytes bytes) {
  auto content = std::make_shared<const Bytes>(std::move(bytes));
  MutexLock lock(mutex_);
  files_[name] = std::move(content);
}
void MemoryVault::erase(const std::string& name) {
  MutexLock lock(mutex_);
  files_.erase(name);
}
MemoryVault::Content MemoryVault::find(const std::string& name) const {
  MutexLock lock(mutex_);
  const auto found = files_.find(name);
  return found == files_.end() ? nullptr : found->second;
}
std::vector<std::string> MemoryVault::names(const std::string& prefix) const {
  MutexLock lock(mutex_);
  std::vector<std::string> out;
  for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix);
       ++at)
    out.push_back(at->first);
  return out;
}

MemoryStorage::MemoryStorage(std::shared_ptr<MemoryVault> vault, std::string directory)
    : vault_(std::move(vault)), directory_(std::move(directory)) {}

Result<std::unique_ptr<CheckpointStream>> MemoryStorage::create(const std::string& name) {
  WEIR_TRY(check_relative_name(name));
  if (!vault_->reserve(path_of(name))) return exists(name);
  return std::unique_ptr<CheckpointStream>(
      std::make_unique<MemoryStream>(vault_, MemoryStream::Names{name, path_of(name)}));
}

Result<std::unique_ptr<env::ReadableFile>> MemoryStorage::open(const checkpoint::FileHandle& file) {
  WEIR_TRY(check_relative_name(file.name));
  auto content = vault_->find(path_of(file.name));
  if (!content) return file_missing(file, "nothing of that name in " + place());
  if (content->size() != file.length) return length_differs(file, content->size());
  return std::unique_ptr<env::ReadableFile>(std::make_unique<MemoryFile>(std::move(content)));
}

Written MemoryStorage::publish(CheckpointId id, ByteView metadata) {
  return put_if_absent(metadata_name(id), metadata)
      .during("publishing checkpoint " + std::to_string(id.value));
}

Result<Bytes> MemoryStorage::read_metadata(CheckpointId id) {
  const auto content = vault_->find(path_of(metadata_name(id)));
  if (!content)
    return Error{Code::kCorrupt, "reading checkpoint " + std::to_string(id.value) + ": " +
                                     metadata_name(id) + " is missing in " + place() +
                                     std::string(kDamagedAdvice)};
  return *content;
}

Status MemoryStorage::discard(CheckpointId id, std::span<const checkpoint::FileHandle> files) {
  vault_->erase(path_of(metadata_name(id)));
  for (const auto& file : files)
    if (is_own_file(id, file.name)) vault_->erase(path_of(file.name));
  const auto left = vault_->names(path_of(checkpoint_directory(id) + "/"));
  if (!left.empty())
    return Error{Code::kRefused,
                 "discarding checkpoint " + std::to_string(id.value) + ": " + left[0] + " is left"};
  return ok();
}

Status MemoryStorage::remove(std::span<const checkpoint::FileHandle> files) {
  for (const auto& file : files) {
    WEIR_TRY(check_relative_name(file.name));
    vault_->erase(path_of(file.name));
  }
  return ok();
}

Result<std::vector<CheckpointId>> MemoryStorage::sweep(const std::set<CheckpointId>& keep,
                                                       CheckpointId below) {
  std::set<CheckpointId> swept;
  const auto root = path_of("");
  for (const auto& path : vault_->names(root)) {
    const auto slash = path.find('/', root.size());
    if (slash == std::string::npos) continue;
    const auto id = checkpoint_of_directory(path.substr(root.size(), slash - root.size()));
    if (!id || *id >= below || keep.contains(*id)) continue;
    vault_->erase(path);
    swept.insert(*id);
  }
  return std::vector<CheckpointId>(swept.begin(), swept.end());
}

Result<std::vector<JobId>> MemoryStorage::sweep_other_runs(const std::set<JobId>& keep) {
  std::set<JobId> swept;
  const auto root = directory_.substr(0, directory_.rfind('/') + 1);
  for (const auto& path : vault_->names(root)) {
    const auto in_run = path.find('/', root.size());
    if (in_run == std::string::npos || path.starts_with(path_of(""))) continue;
    const auto run = run_of_directory(path.substr(root.size(), in_run - root.size()));
    const auto in_checkpoint = path.find('/', in_run + 1);
    if (!run || keep.contains(*run) || in_checkpoint == std::string::npos) continue;
    if (!checkpoint_of_directory(path.substr(in_run + 1, in_checkpoint - in_run - 1))) continue;
    vault_->erase(path);
    swept.insert(*run);
  }
  return std::vector<JobId>(swept.begin(), swept.end());
}

Written MemoryStorage::put_if_absent(const std::string& name, ByteView bytes) {
  if (const auto relative = check_relative_name(name); !relative)
    return Written::absent(relative.error());
  if (!vault_->reserve(path_of(name))) return Written::absent(exists(name));
  vault_->put(path_of(name), Bytes(bytes.begin(), bytes.end()));
  return Written::durable();
}

}  // namespace weir::storage
