#include "weir/env/sim/internal/sim_file_system.h"

#include <algorithm>

namespace weir::sim {

using env::Create;

class SimFileSystem::Handle {
 public:
  Handle(SimFileSystem& files, InodePtr inode) : files_(files), inode_(std::move(inode)) {
    files_.volume().retain(*inode_);
    files_.disk().handle_opened();
    ++files_.open_files_;
  }
  ~Handle() { close(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void close() {
    if (!inode_) return;
    files_.volume().release(*inode_);
    files_.disk().handle_closed();
    --files_.open_files_;
    inode_ = nullptr;
  }
  // nullptr once closed.
  const InodePtr& inode() const { return inode_; }

 private:
  SimFileSystem& files_;
  InodePtr inode_;
};

namespace {

Error during(const IoCall& call, const Error& error) {
  std::string attempt(name_of(call.kind));
  attempt.append(" ").append(call.path);
  if (!call.to.empty()) attempt.append(" to ").append(call.to);
  return error.during(attempt);
}

Error gone() { return {Code::kUnavailable, "the process is gone"}; }
Error closed() { return {Code::kInvalid, "the file is closed"}; }
Error disk_full() { return {Code::kExhausted, "no space left on device"}; }

}  // namespace

template <class Outcome, class Effect, class OnFault>
Outcome SimFileSystem::call(IoCall call, Effect effect, OnFault on_fault) {
  if (life_.is_cut) return during(call, gone());
  Machine& machine = life_.machine;
  const Status begun = machine.disk.begin(call);
  machine.trace.record(name_of(call.kind), call.path + '\n' + call.to, call.number, call.bytes);
  const Duration cost = machine.disk.cost_of(call);
  const Duration until_effect{random_.between(0, cost.ns)};
  machine.loop.wait(life_.id, until_effect);
  if (life_.is_cut) return during(call, gone());
  if (!begun) on_fault();
  Outcome outcome = begun ? effect() : Outcome(begun.error());
  if (!outcome) call.failure = outcome.error().code;
  machine.trace.record("outcome", "", call.number,
                       outcome ? 0 : 1 + static_cast<std::uint64_t>(*call.failure));
  machine.disk.end(call);
  machine.loop.wait(life_.id, cost - until_effect);
  if (life_.is_cut) return during(call, gone());
  if (!outcome) return during(call, outcome.error());
  return outcome;
}

namespace {

class SimReadableFile final : public env::ReadableFile {
 public:
  SimReadableFile(SimFileSystem& files, std::string path, InodePtr inode)
      : files_(files), path_(std::move(path)), handle_(files, std::move(inode)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    auto call = files_.make_call(IoKind::kRead, path_);
    call.bytes = into.size();
    return files_.call<Result<std::size_t>>(call, [&]() -> Result<std::size_t> {
      const Bytes& content = handle_.inode()->content;
      const auto start = std::min<std::uint64_t>(offset, content.size());
      const auto size = std::min<std::uint64_t>(into.size(), content.size() - start);
      std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(start), size, into.begin());
      return static_cast<std::size_t>(size);
    });
  }

  Result<std::uint64_t> size() override {
    return files_.call<Result<std::uint64_t>>(
        files_.make_call(IoKind::kInfo, path_),
        [&]() -> Result<std::uint64_t> { return std::uint64_t{handle_.inode()->content.size()}; });
  }

 private:
  SimFileSystem& files_;
  const std::string path_;
  SimFileSystem::Handle handle_;
};

class SimWritableFile final : public env::WritableFile {
 public:
  SimWritableFile(SimFileSystem& files, std::string path, InodePtr inode)
      : files_(files), path_(std::move(path)), handle_(files, std::move(inode)) {}

  Status append(ByteView bytes) override {
    auto call = files_.make_call(IoKind::kAppend, path_);
    call.bytes = bytes.size();
    return files_.call<Status>(
        call, [&] { return append_what_fits(bytes); },
        [&] {
          if (!handle_.inode()) return;
          const auto part = files_.disk().random().below(bytes.size() + 1);
          std::ignore = append_what_fits(bytes.first(part));  // The call fails anyway.
        });
  }

  Status sync() override {
    const Mark until = files_.volume().mark();  // What others append meanwhile is not covered.
    return files_.call<Status>(
        files_.make_call(IoKind::kSync, path_),
        [&]() -> Status {
          if (!handle_.inode()) return closed();
          files_.volume().sync(*handle_.inode(), until);
          return ok();
        },
        [&] {
          if (handle_.inode()) files_.volume().lose(*handle_.inode(), until);
        });
  }

  Status close() override {
    return files_.call<Status>(
        files_.make_call(IoKind::kClose, path_),
        [&]() -> Status {
          if (!handle_.inode()) return closed();
          handle_.close();
          return ok();
        },
        [&] { handle_.close(); });
  }

 private:
  Status append_what_fits(ByteView bytes) {
    if (!handle_.inode()) return closed();
    const auto room = files_.disk().room();
    const auto fits = std::min<std::uint64_t>(room, bytes.size());
    files_.volume().append(*handle_.inode(), bytes.first(fits));
    if (fits == bytes.size()) return ok();
    files_.disk().report(Fault::kDiskFull);
    return disk_full();
  }

  SimFileSystem& files_;
  const std::string path_;
  SimFileSystem::Handle handle_;
};

class SimFileLock final : public env::FileLock {
 public:
  SimFileLock(SimFileSystem& files, ProcessId process, InodePtr inode)
      : files_(files), process_(process), inode_(inode), handle_(files, std::move(inode)) {}
  ~SimFileLock() override { files_.disk().unlock(process_, inode_); }

 private:
  SimFileSystem& files_;
  const ProcessId process_;
  const InodePtr inode_;
  SimFileSystem::Handle handle_;
};

Status room_for_a_file(const SimOptions& options, std::uint32_t open_files) {
  if (options.open_files_max == 0 || open_files < options.open_files_max) return ok();
  return Error{Code::kExhausted, "too many open files; this process may have " +
                                     std::to_string(options.open_files_max) +
                                     " open: raise the limit with `ulimit -n`"};
}

}  // namespace

Result<std::unique_ptr<env::ReadableFile>> SimFileSystem::open(const std::string& path) {
  using Outcome = Result<std::unique_ptr<env::ReadableFile>>;
  return call<Outcome>(make_call(IoKind::kOpen, path), [&]() -> Outcome {
    WEIR_TRY(room_for_a_file(life_.machine.options, open_files_));
    WEIR_ASSIGN(const auto inode, volume().find(path));
    if (inode->is_directory) return Error{Code::kInvalid, "it is a directory"};
    return std::unique_ptr<env::ReadableFile>(
        std::make_unique<SimReadableFile>(*this, path, inode));
  });
}

// As the real one, it writes whole pieces and what is left at the end: with pieces that are small beside the files of a simulated
// job, so that errors and crashes come at either.
class SimBulkFile final : public env::WritableFile {
 public:
  explicit SimBulkFile(std::unique_ptr<env::WritableFile> file) : file_(std::move(file)) {}

  Status append(ByteView bytes) override {
    if (!broken_) return broken_;
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    return held_.size() < kPieceBytes ? ok() : flush();
  }
  Status sync() override {
    if (!broken_) return broken_;
    WEIR_TRY(flush());
    return broken_ = file_->sync();
  }
  Status close() override {
    auto flushed = broken_ ? flush() : broken_;
    auto closed = file_->close();
    return flushed ? closed : flushed;
  }

 private:
  static constexpr std::size_t kPieceBytes = 512;

  Status flush() {
    const auto held = std::exchange(held_, {});
    return broken_ = held.empty() ? ok() : file_->append(held);
  }

  const std::unique_ptr<env::WritableFile> file_;
  Bytes held_;
  Status broken_;
};

Result<std::unique_ptr<env::WritableFile>> SimFileSystem::create_bulk(const std::string& path) {
  WEIR_ASSIGN(auto file, create(path, Create::kNew));
  return std::unique_ptr<env::WritableFile>(std::make_unique<SimBulkFile>(std::move(file)));
}

Result<std::unique_ptr<env::WritableFile>> SimFileSystem::create(const std::string& path,
                                                                 Create how) {
  using Outcome = Result<std::unique_ptr<env::WritableFile>>;
  return call<Outcome>(make_call(IoKind::kCreate, path), [&]() -> Outcome {
    WEIR_TRY(room_for_a_file(life_.machine.options, open_files_));
    if (disk().is_full_for_now()) return disk_full();
    WEIR_ASSIGN(const auto inode, volume().create(path, how));
    return std::unique_ptr<env::WritableFile>(
        std::make_unique<SimWritableFile>(*this, path, inode));
  });
}

Status SimFileSystem::rename(const std::string& from, const std::string& to) {
  auto io = make_call(IoKind::kRename, from);
  io.to = to;
  return call<Status>(io, [&] { return volume().rename(from, to); });
}

Status SimFileSystem::link(const std::string& from, const std::string& to) {
  auto io = make_call(IoKind::kLink, from);
  io.to = to;
  return call<Status>(io, [&] { return volume().link(from, to); });
}

Status SimFileSystem::remove(const std::string& path) {
  return call<Status>(make_call(IoKind::kRemove, path), [&] { return volume().remove(path); });
}

Status SimFileSystem::remove_directory(const std::string& path) {
  return call<Status>(make_call(IoKind::kRemoveDirectory, path),
                      [&] { return volume().remove_directory(path); });
}

// The same steps as env/posix takes, each a call of its own and a place for a crash.
Status SimFileSystem::make_directories(const std::string& path) {
  std::vector<std::string> missing;
  std::string existing = path;
  for (;;) {
    const auto directory = volume().find_directory(existing);
    if (directory) break;
    if (directory.error().code != Code::kNotFound)
      return during(make_call(IoKind::kMakeDirectory, existing), directory.error());
    missing.push_back(existing);
    existing = env::parent_of(existing);
  }
  WEIR_TRY(sync_directory(env::parent_of(existing)));
  for (auto directory = missing.rbegin(); directory != missing.rend(); ++directory) {
    WEIR_TRY(call<Status>(make_call(IoKind::kMakeDirectory, *directory), [&]() -> Status {
      // Somebody else may have been faster.
      if (volume().find_directory(*directory)) return ok();
      return volume().make_directory(*directory);
    }));
    WEIR_TRY(sync_directory(env::parent_of(*directory)));
  }
  return ok();
}

Status SimFileSystem::sync_directory(const std::string& path) {
  const Mark until = volume().mark();
  return call<Status>(make_call(IoKind::kSyncDirectory, path), [&]() -> Status {
    WEIR_ASSIGN(const auto directory, volume().find_directory(path));
    volume().sync_names(*directory, until);
    return ok();
  });
}

Result<std::vector<env::DirectoryEntry>> SimFileSystem::list(const std::string& path) {
  using Outcome = Result<std::vector<env::DirectoryEntry>>;
  return call<Outcome>(make_call(IoKind::kList, path), [&]() -> Outcome {
    WEIR_ASSIGN(const auto directory, volume().find_directory(path));
    std::vector<env::DirectoryEntry> entries;
    for (const auto& [name, inode] : directory->entries)
      entries.push_back({name, inode->is_directory});
    return entries;
  });
}

Result<env::FileInfo> SimFileSystem::info(const std::string& path) {
  using Outcome = Result<env::FileInfo>;
  return call<Outcome>(make_call(IoKind::kInfo, path), [&]() -> Outcome {
    WEIR_ASSIGN(const auto inode, volume().find(path));
    return env::FileInfo{.size = inode->content.size(),
                         .device = 1,
                         .inode = inode->number,
                         .is_directory = inode->is_directory};
  });
}

// The file to lock, made where it is missing.
Result<InodePtr> SimFileSystem::lockable(const std::string& path) {
  auto inode = volume().find(path);
  if (inode && (*inode)->is_directory) return Error{Code::kInvalid, "it is a directory"};
  if (inode || inode.error().code != Code::kNotFound) return inode;
  return volume().create(path, Create::kNew);
}

Result<env::LockOutcome> SimFileSystem::lock(const std::string& path) {
  using Outcome = Result<env::LockOutcome>;
  using Kind = env::LockOutcome::Kind;
  return call<Outcome>(make_call(IoKind::kLock, path), [&]() -> Outcome {
    WEIR_TRY(room_for_a_file(life_.machine.options, open_files_));
    WEIR_ASSIGN(const auto inode, lockable(path));
    if (!life_.machine.options.has_locks)
      return env::LockOutcome{
          Kind::kNoLocks, nullptr,
          "lock " + path + ": this filesystem has no locks; put the directory on one that has"};
    if (!disk().lock(life_.id, inode))
      return env::LockOutcome{Kind::kHeldElsewhere, nullptr,
                              "lock " + path + ": it is held already"};
    return env::LockOutcome{.lock = std::make_unique<SimFileLock>(*this, life_.id, inode),
                            .why = {}};
  });
}

}  // namespace weir::sim
