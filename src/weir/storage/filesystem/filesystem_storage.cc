#include "weir/storage/filesystem/filesystem_storage.h"

#include <tuple>

#include "weir/base/mutant.h"
#include "weir/storage/api/checkpoint_names.h"
#include "weir/storage/filesystem/internal/file_stream.h"

namespace weir::storage {
namespace {

constexpr std::string_view kTemporaryMetadata = "_metadata.tmp";

// What is gone already was deleted already.
Status unless_gone(Status status) {
  if (!status && status.error().code == Code::kNotFound) return ok();
  return status;
}

// Keeps the first of several errors.
class FirstError {
 public:
  void note(const Status& status) {
    if (!status && status_) status_ = status;
  }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

std::string during_checkpoint(std::string_view verb, CheckpointId id) {
  return std::string(verb) + " checkpoint " + std::to_string(id.value);
}

}  // namespace

FilesystemStorage::FilesystemStorage(env::FileSystem& files, Options options)
    : files_(files),
      directory_(std::move(options.directory)),
      epoch_(options.epoch),
      inline_bytes_max_(options.inline_bytes_max) {}

Result<std::unique_ptr<CheckpointStream>> FilesystemStorage::create(const std::string& name) {
  WEIR_TRY(check_relative_name(name));
  const auto path = path_of(name);
  WEIR_ASSIGN(auto file, with_directory(path, [&] { return files_.create_bulk(path); }));
  return std::unique_ptr<CheckpointStream>(
      std::make_unique<FileStream>(files_, FileStream::Names{name, path}, std::move(file)));
}

Result<std::unique_ptr<env::ReadableFile>> FilesystemStorage::open(
    const checkpoint::FileHandle& file) {
  WEIR_TRY(check_relative_name(file.name));
  auto opened = files_.open(path_of(file.name));
  if (!opened && opened.error().code == Code::kNotFound)
    return file_missing(file, opened.error().what);
  if (!opened) return opened.error();
  WEIR_ASSIGN(const auto size, (*opened)->size());
  if (size != file.length) return length_differs(file, size);
  return std::move(*opened);
}

Written FilesystemStorage::publish(CheckpointId id, ByteView metadata) {
  const auto attempt = during_checkpoint("publishing", id);
  const auto chk = path_of(checkpoint_directory(id));
  const auto temporary = env::join(chk, kTemporaryMetadata);
  if (const auto prepared = prepare_metadata(id, metadata); !prepared) {
    std::ignore = files_.remove(temporary);  // The error to tell is the one before.
    return Written::absent(prepared.error().during(attempt));
  }
  if (const auto renamed = files_.rename(temporary, path_of(metadata_name(id))); !renamed)
    return Written::unknown(renamed.error().during(attempt));
  if (mutant(Mutant::kDirectorySyncDropped)) return Written::durable();
  // Covers the names of the data files too: they were created in it before they were acknowledged.
  if (const auto synced = files_.sync_directory(chk); !synced)
    return Written::sync_failed(synced.error().during(attempt));
  return Written::durable();
}

// Everything up to the rename: the metadata under its temporary name, and chk-N in its directory.
Status FilesystemStorage::prepare_metadata(CheckpointId id, ByteView metadata) {
  const auto path = path_of(metadata_name(id));
  const auto there = files_.info(path);
  if (there) return Error{Code::kRefused, path + " exists already: this id was used before"};
  if (there.error().code != Code::kNotFound) return there.error();
  const auto chk = path_of(checkpoint_directory(id));
  WEIR_TRY(write_whole(env::join(chk, kTemporaryMetadata), env::Create::kOrTruncate, metadata));
  // Whoever made chk-N synced its name, unless that failed and somebody else found it made.
  if (mutant(Mutant::kDirectorySyncDropped)) return ok();
  return files_.sync_directory(directory_);
}

Result<Bytes> FilesystemStorage::read_metadata(CheckpointId id) {
  const auto path = path_of(metadata_name(id));
  auto bytes = env::read_file(files_, path, kMetadataBytesMax);
  if (!bytes && bytes.error().code == Code::kNotFound)
    return Error{Code::kCorrupt, during_checkpoint("reading", id) + ": " + path + " is missing (" +
                                     bytes.error().what + ")" + std::string(kDamagedAdvice)};
  return bytes;
}

Status FilesystemStorage::discard(CheckpointId id, std::span<const checkpoint::FileHandle> files) {
  const auto chk = path_of(checkpoint_directory(id));
  WEIR_TRY(remove_metadata(chk));
  FirstError first;
  first.note(unless_gone(files_.remove(env::join(chk, kTemporaryMetadata))));
  for (const auto& file : files) {
    first.note(check_relative_name(file.name));
    if (check_relative_name(file.name) && is_own_file(id, file.name))
      first.note(unless_gone(files_.remove(path_of(file.name))));
  }
  first.note(unless_gone(files_.remove_directory(chk)));
  return first.status();
}

// Durably, before any data file goes: after a crash in between nothing looks complete that is not.
Status FilesystemStorage::remove_metadata(const std::string& chk) {
  const auto removed = files_.remove(env::join(chk, kMetadataName));
  if (!removed) return unless_gone(removed);
  return unless_gone(files_.sync_directory(chk));
}

Status FilesystemStorage::remove(std::span<const checkpoint::FileHandle> files) {
  FirstError first;
  std::set<std::string> directories;
  for (const auto& file : files) {
    const auto relative = check_relative_name(file.name);
    first.note(relative);
    if (!relative) continue;
    first.note(unless_gone(files_.remove(path_of(file.name))));
    const auto directory = env::parent_of(file.name);
    if (checkpoint_of_directory(directory)) directories.insert(directory);
  }
  for (const auto& directory : directories)
    if (const auto gone = remove_if_empty(path_of(directory)); !gone) first.note(gone.error());
  return first.status();
}

Result<std::vector<CheckpointId>> FilesystemStorage::sweep(const std::set<CheckpointId>& keep,
                                                           CheckpointId below) {
  return sweep_run(directory_, [&](CheckpointId id) { return id >= below || keep.contains(id); });
}

Result<std::vector<CheckpointId>> FilesystemStorage::sweep_run(
    const std::string& run, const std::function<bool(CheckpointId)>& is_kept) {
  WEIR_ASSIGN(const auto entries, list(run));
  std::vector<CheckpointId> swept;
  FirstError first;
  for (const auto& entry : entries) {
    const auto id = checkpoint_of_directory(entry.name);
    if (!entry.is_directory || !id || is_kept(*id)) continue;
    const auto removed = remove_whole(env::join(run, entry.name));
    first.note(removed);
    if (removed) swept.push_back(*id);
  }
  if (!first.status()) return first.status().error();
  return swept;
}

Result<std::vector<JobId>> FilesystemStorage::sweep_other_runs(const std::set<JobId>& keep) {
  const auto job = env::parent_of(directory_);
  WEIR_ASSIGN(const auto entries, list(job));
  std::vector<JobId> swept;
  FirstError first;
  for (const auto& entry : entries) {
    const auto run = run_of_directory(entry.name);
    const auto path = env::join(job, entry.name);
    if (!entry.is_directory || !run || keep.contains(*run) || path == directory_) continue;
    const auto checkpoints = sweep_run(path, [](CheckpointId) { return false; });
    if (!checkpoints) first.note(checkpoints.error());
    const auto gone = remove_if_empty(path);
    if (!gone) first.note(gone.error());
    if (checkpoints && (!checkpoints->empty() || (gone && *gone))) swept.push_back(*run);
  }
  if (!first.status()) return first.status().error();
  return swept;
}

// What lies there: nothing where there is no such directory.
Result<std::vector<env::DirectoryEntry>> FilesystemStorage::list(const std::string& directory) {
  auto entries = files_.list(directory);
  if (!entries && entries.error().code == Code::kNotFound)
    return std::vector<env::DirectoryEntry>{};
  return entries;
}

// Whether it is gone. What else lies there is somebody's, who may be at work in it just now.
Result<bool> FilesystemStorage::remove_if_empty(const std::string& directory) {
  const auto removed = unless_gone(files_.remove_directory(directory));
  if (removed) return true;
  if (removed.error().code != Code::kRefused) return removed.error();
  const auto entries = files_.list(directory);
  if (entries && !entries->empty()) return false;
  // It was emptied in between; or it is not allowed.
  WEIR_TRY(unless_gone(files_.remove_directory(directory)));
  return true;
}

Status FilesystemStorage::remove_whole(const std::string& chk) {
  WEIR_TRY(remove_metadata(chk));
  const auto entries = files_.list(chk);
  if (!entries) return unless_gone(entries.error());
  for (const auto& entry : *entries)
    WEIR_TRY(unless_gone(files_.remove(env::join(chk, entry.name))));
  return unless_gone(files_.remove_directory(chk));
}

Written FilesystemStorage::put_if_absent(const std::string& name, ByteView bytes) {
  const auto attempt = "putting " + name;
  if (const auto relative = check_relative_name(name); !relative)
    return Written::absent(relative.error());
  const auto path = path_of(name);
  const auto temporary = path + ".e" + std::to_string(epoch_.value) + "-" +
                         std::to_string(temporaries_.fetch_add(1, std::memory_order_relaxed)) +
                         ".tmp";
  const auto prepared = write_whole(temporary, env::Create::kNew, bytes);
  const auto linked = prepared ? files_.link(temporary, path) : prepared;
  std::ignore = files_.remove(temporary);  // Without it only a name too many is left.
  if (!prepared) return Written::absent(prepared.error().during(attempt));
  if (!linked) {
    const auto error = linked.error().during(attempt);
    const bool is_certain = error.code == Code::kRefused || error.code == Code::kInvalid;
    return is_certain ? Written::absent(error) : Written::unknown(error);
  }
  if (const auto synced = files_.sync_directory(env::parent_of(path)); !synced)
    return Written::sync_failed(synced.error().during(attempt));
  return Written::durable();
}

// What `create` makes at the path; its directory too, where that is what is missing.
Result<std::unique_ptr<env::WritableFile>> FilesystemStorage::with_directory(
    const std::string& path, const CreateFile& create) {
  auto file = create();
  if (file || file.error().code != Code::kNotFound) return file;
  WEIR_TRY(files_.make_directories(env::parent_of(path)));
  return create();
}

Status FilesystemStorage::write_whole(const std::string& path, env::Create how, ByteView bytes) {
  WEIR_ASSIGN(const auto file, with_directory(path, [&] { return files_.create(path, how); }));
  WEIR_TRY(file->append(bytes));
  if (!mutant(Mutant::kMetadataSyncDropped)) WEIR_TRY(file->sync());
  return file->close();
}

}  // namespace weir::storage
