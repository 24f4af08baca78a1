#pragma once

#include <memory>
#include <optional>
#include <string>

#include "weir/env/api/file_system.h"
#include "weir/ha/api/store.h"

namespace weir::ha {

// <checkpoint-dir>/<job name, percent-encoded>: where everything of a job lies.
//
//   Errors  kInvalid for a name that is empty or too long to be a directory's
Result<std::string> job_directory(const std::string& checkpoint_dir, const std::string& job_name);

// A Store in the files `run` and `lock` of the job's directory.
//
// Every write makes the whole record anew beside the old one, syncs it, renames it, syncs the
// directory. Before each the record on disk is compared with the one that this process wrote last,
// so that a process whose lock did not hold (a network filesystem, a hand that deleted the file)
// notices and stops.
//
//   Errors  of open(): also kCorrupt where `run` is missing though runs of the job lie beside it
//   Thread  as Store says
//   Source  docs/formats/run.md
class FileStore final : public Store {
 public:
  struct Options {
    std::string checkpoint_dir;
    std::string job_name;
    JobId fresh;  // the job id where there is no record yet
  };
  // `files` outlives the store.
  static Result<std::unique_ptr<Store>> open(env::FileSystem& files, const Options& options);

  const std::optional<RunRecord>& found() const override { return found_; }
  const RunRecord& record() const override { return record_; }
  Written write(const Change& change) override;
  Written read_back() override;

 private:
  FileStore(env::FileSystem& files, std::string directory, std::unique_ptr<env::FileLock> lock);

  // nullopt where there is no file.
  Result<std::optional<RunRecord>> read() const;
  Status check_nothing_is_lost() const;
  Status check_not_fenced() const;
  Written take_epoch(JobId fresh);
  Written replace(const RunRecord& next);
  Status write_temporary(const RunRecord& next) const;
  Written broken(const Error& why);

  env::FileSystem& files_;
  const std::string directory_;
  const std::string path_;
  const std::unique_ptr<env::FileLock> lock_;
  std::optional<RunRecord> found_;
  RunRecord record_;
  std::optional<RunRecord> in_doubt_;  // what the write of unknown fate would have put there
  std::optional<Error> sync_failed_;
};

}  // namespace weir::ha
