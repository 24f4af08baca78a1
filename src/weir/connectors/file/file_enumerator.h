#pragma once

#include <deque>
#include <string>
#include <vector>

#include "weir/connectors/api/source.h"
#include "weir/connectors/file/file_lines_options.h"
#include "weir/connectors/file/file_split.h"
#include "weir/types/serializer.h"

namespace weir::connectors {

// Lists a file, or the files of a directory, and cuts them into splits; once in the life of a job: what it saw then is
// state, and what is added to the directory later is not read.
//
//   Shape   of a directory not its sub-directories, nor names that begin with '.' or '_'. Splits are given away in the
//           order of path and offset, whatever the order of the listing or of the restored elements
//   Errors  kInvalid: nothing is there, or an option makes no sense
class FileEnumerator final : public SplitEnumerator {
 public:
  FileEnumerator(std::string path, const FileLinesOptions& options)
      : path_(std::move(path)), options_(options) {}

  Status open(SourceContext& context, const std::optional<std::vector<Bytes>>& state) override;
  std::optional<Bytes> next_split(SubtaskIndex reader) override;
  bool is_exhausted() const override { return unassigned_.empty(); }
  std::vector<Bytes> snapshot() override;
  Schema state_schema() const override { return schema_of<FileSplit>(); }
  std::uint64_t unassigned() const override { return unassigned_bytes_; }

 private:
  Status check_options() const;
  Status list(env::FileSystem& files);
  Result<std::vector<std::string>> paths(env::FileSystem& files) const;
  Status add_file(env::FileSystem& files, const std::string& path);
  void add(FileSplit split);

  const std::string path_;
  const FileLinesOptions options_;
  std::deque<FileSplit> unassigned_;
  std::uint64_t unassigned_bytes_ = 0;
};

}  // namespace weir::connectors
