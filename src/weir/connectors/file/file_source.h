#pragma once

#include <memory>
#include <string>

#include "weir/connectors/file/file_enumerator.h"
#include "weir/connectors/file/line_reader.h"

namespace weir::connectors {

// The lines of a text file, or of the files of a directory, as it is when the job first starts.
//
//   Errors  of the enumerator and the readers: see there
//   Thread  any; it is only read
class FileLineSource final : public Source<Text> {
 public:
  FileLineSource(std::string path, const FileLinesOptions& options)
      : path_(std::move(path)), options_(options) {}

  std::unique_ptr<SplitEnumerator> make_enumerator() const override {
    return std::make_unique<FileEnumerator>(path_, options_);
  }
  std::unique_ptr<SourceReader<Text>> make_reader() const override {
    return std::make_unique<LineReader>(options_);
  }
  std::string name() const override { return "lines"; }
  std::string input() const override { return env::tidy(path_); }

 private:
  const std::string path_;
  const FileLinesOptions options_;
};

}  // namespace weir::connectors
