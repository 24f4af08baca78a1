#include "weir/ha/file/file_store.h"

#include <tuple>

#include "weir/base/mutant.h"
#include "weir/base/percent_encoding.h"
#include "weir/ha/file/run_text.h"

namespace weir::ha {
namespace {

constexpr std::uint64_t kRunBytesMax = 1 << 20;

// Where files of --checkpoint-dir cannot be made, read or written at all. Nobody else leads the job.
Error with_another_directory(const Error& error) {
  if (error.code != Code::kRefused && error.code != Code::kInvalid) return error;
  return {
      Code::kInvalid,
      error.what + ". Give the job a --checkpoint-dir that this user may make, read and write to"};
}

Result<std::unique_ptr<env::FileLock>> take_lock(env::FileSystem& files, const std::string& path,
                                                 const std::string& job_name) {
  using Kind = env::LockOutcome::Kind;
  const auto attempt = "taking the lock of job '" + job_name + "'";
  auto outcome = files.lock(path);
  if (!outcome) return with_another_directory(outcome.error().during(attempt));
  if (outcome->kind == Kind::kHeldElsewhere)
    return Error{Code::kRefused,
                 attempt + ": " + outcome->why +
                     ". One process at a time runs a job: stop the one that holds " + path +
                     ", or give this one another --checkpoint-dir"};
  if (outcome->kind == Kind::kNoLocks)
    return Error{Code::kInvalid, attempt + ": " + outcome->why +
                                     ". Without locks two processes could run one job: put "
                                     "--checkpoint-dir on a filesystem that has them"};
  return std::move(outcome->lock);
}

Error taken_over(const std::string& path, const RunRecord& ours, const RunRecord& theirs) {
  return {Code::kRefused, "writing the run record " + path + ": another process has taken over, " +
                              "epoch " + std::to_string(theirs.epoch.value) +
                              " is in force, ours " + "is " + std::to_string(ours.epoch.value)};
}

Error vanished(const std::string& path) {
  return {Code::kCorrupt, "reading the run record " + path +
                              ": it has vanished though this process holds the lock"};
}

}  // namespace

Result<std::string> job_directory(const std::string& checkpoint_dir, const std::string& job_name) {
  auto name = file_name_of(job_name);
  if (!name) return name.error().during("naming the directory of the job");
  return env::join(checkpoint_dir, *name);
}

FileStore::FileStore(env::FileSystem& files, std::string directory,
                     std::unique_ptr<env::FileLock> lock)
    : files_(files),
      directory_(std::move(directory)),
      path_(env::join(directory_, "run")),
      lock_(std::move(lock)) {}

Result<std::unique_ptr<Store>> FileStore::open(env::FileSystem& files, const Options& options) {
  WEIR_ASSIGN(const auto directory, job_directory(options.checkpoint_dir, options.job_name));
  if (const auto made = files.make_directories(directory); !made)
    return with_another_directory(
        made.error().during("making the directory of job '" + options.job_name + "'"));
  WEIR_ASSIGN(auto lock, take_lock(files, env::join(directory, "lock"), options.job_name));
  std::unique_ptr<FileStore> store(new FileStore(files, directory, std::move(lock)));
  WEIR_ASSIGN(store->found_, store->read());
  if (!store->found_) WEIR_TRY(store->check_nothing_is_lost());
  // A new epoch fences whoever came before. Writing the whole record again also makes sure that
  // what was just read, the pointer above all, is on the disk and not only in its cache.
  if (const auto taken = store->take_epoch(options.fresh); !taken)
    return taken.error().during("taking the next epoch of job '" + options.job_name + "'");
  return std::unique_ptr<Store>(std::move(store));
}

Written FileStore::take_epoch(JobId fresh) {
  record_ = found_ ? *found_ : RunRecord{.job = fresh};
  auto next = record_;
  next.epoch.value++;
  return replace(next);
}

Result<std::optional<RunRecord>> FileStore::read() const {
  const auto bytes = env::read_file(files_, path_, kRunBytesMax);
  if (!bytes && bytes.error().code == Code::kNotFound) return std::optional<RunRecord>{};
  if (!bytes) return with_another_directory(bytes.error().during("reading the run record"));
  WEIR_ASSIGN(auto record, parse_run_text(text_of(*bytes), path_));
  return std::optional(std::move(record));
}

// The record is durable before the first directory of a run is made. One without the other means
// that somebody took the record away, and beginning anew would silently forget the state.
Status FileStore::check_nothing_is_lost() const {
  const auto entries = files_.list(directory_);
  if (!entries)
    return with_another_directory(entries.error().during("looking for runs without a record"));
  for (const auto& entry : *entries) {
    if (entry.is_directory && JobId::from_hex(entry.name))
      return Error{Code::kCorrupt, "reading the run record " + path_ + ": it is missing, but " +
                                       env::join(directory_, entry.name) +
                                       " holds a run of the job. Put the record back, or move " +
                                       directory_ + " away to begin anew"};
  }
  return ok();
}

Written FileStore::write(const Change& change) {
  if (sync_failed_) return Written::sync_failed(*sync_failed_);
  if (in_doubt_) {
    auto resolved = read_back();
    if (resolved.fate() == Fate::kUnknown) return Written::absent(resolved.error());
    if (!resolved) return resolved;
  }
  if (const auto ours = check_not_fenced(); !ours) return Written::absent(ours.error());
  return replace(apply(record_, change));
}

Status FileStore::check_not_fenced() const {
  WEIR_ASSIGN(const auto stored, read());
  if (!stored) return vanished(path_);
  if (*stored != record_) return taken_over(path_, record_, *stored);
  return ok();
}

Written FileStore::replace(const RunRecord& next) {
  const auto temporary = path_ + ".tmp";
  if (const auto prepared = write_temporary(next); !prepared) {
    std::ignore = files_.remove(temporary);  // The error to tell is the one before.
    return Written::absent(with_another_directory(prepared.error()));
  }
  if (const auto renamed = files_.rename(temporary, path_); !renamed) {
    in_doubt_ = next;
    return Written::unknown(with_another_directory(renamed.error()));
  }
  if (!mutant(Mutant::kDirectorySyncDropped)) {
    if (const auto synced = files_.sync_directory(directory_); !synced)
      return broken(synced.error());
  }
  record_ = next;
  return Written::durable();
}

Status FileStore::write_temporary(const RunRecord& next) const {
  WEIR_ASSIGN(const auto file, files_.create(path_ + ".tmp", env::Create::kOrTruncate));
  WEIR_TRY(file->append(bytes_of(run_text(next))));
  if (!mutant(Mutant::kMetadataSyncDropped)) WEIR_TRY(file->sync());
  return file->close();
}

Written FileStore::read_back() {
  if (sync_failed_) return Written::sync_failed(*sync_failed_);
  if (!in_doubt_) return Written::durable();
  // Whichever name is there must stay there before anybody relies on it.
  if (const auto synced = files_.sync_directory(directory_); !synced) return broken(synced.error());
  const auto stored = read();
  if (!stored && stored.error().code != Code::kCorrupt) return Written::unknown(stored.error());
  if (!stored) return broken(stored.error());
  if (!*stored) return broken(vanished(path_));
  if (**stored != record_ && **stored != *in_doubt_)
    return Written::absent(taken_over(path_, record_, **stored));
  record_ = **stored;
  in_doubt_.reset();
  return Written::durable();
}

Written FileStore::broken(const Error& why) {
  sync_failed_ = with_another_directory(why);
  return Written::sync_failed(*sync_failed_);
}

}  // namespace weir::ha
