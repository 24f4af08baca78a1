#pragma once

#include <memory>
#include <string>
#include <utility>

#include "weir/connectors/api/sink.h"
#include "weir/connectors/file/part_committer.h"
#include "weir/connectors/file/part_writer.h"
#include "weir/types/readable.h"

namespace weir::connectors {

// Writes a record as people read it (types/readable.h).
struct ReadableLine {
  template <class T>
  void operator()(const T& record, std::string& to) const {
    append_readable(to, record);
  }
};

// Lets the user's function write a line of its own, which may also be assigned to.
template <class T, class Format>
class FormattedLine {
 public:
  explicit FormattedLine(Format format) : format_(std::move(format)) {}

  void operator()(const T& record, std::string& to) {
    line_.clear();
    format_(record, line_);
    to += line_;
  }

 private:
  Format format_;
  std::string line_;  // recycled
};

// Makes lines of records and hands them to a PartWriter.
//
//   Errors  as PartWriter
//   Thread  as SinkWriter says
template <class T, class Line>
class TextFileWriter final : public SinkWriter<T> {
 public:
  TextFileWriter(std::string directory, const TextFilesOptions& options, Line line)
      : parts_(std::move(directory), options), line_(std::move(line)) {}

  Result<commit::Outside> open(SinkContext& context) override { return parts_.open(context); }
  Result<std::uint32_t> write(const stream::RecordBatch<T>& batch, std::uint32_t from) override {
    for (auto i = from; i != batch.size(); ++i) {
      auto* buffer = parts_.buffer();
      if (!buffer) return i - from;
      line_(batch[i], *buffer);
      *buffer += '\n';
    }
    return batch.size() - from;
  }
  std::vector<commit::Committable> stage(CheckpointId id) override { return parts_.stage(id); }
  std::function<void(StagedDone)> make_durable() override { return parts_.make_durable(); }
  Status health() const override { return parts_.health(); }
  bool is_quiet() const override { return parts_.is_quiet(); }

 private:
  PartWriter parts_;
  Line line_;
};

// Text files, a line per record, exactly once: parts are staged under hidden names in the directory itself and made
// visible, whole, when their checkpoint is complete. `Line` is void(const T&, std::string& to) and appends.
//
//   Errors  of the writer (SinkDirectory, PartWriter) and the PartCommitter: see there
//   Thread  any; it is only read
//   Source  docs/formats/sink_parts.md
template <class T, class Line = ReadableLine>
class TextFileSink final : public Sink<T> {
 public:
  TextFileSink(std::string directory, const TextFilesOptions& options, Line line = {})
      : directory_(std::move(directory)), options_(options), line_(std::move(line)) {}

  std::unique_ptr<SinkWriter<T>> make_writer() const override {
    return std::make_unique<TextFileWriter<T, Line>>(directory_, options_, line_);
  }
  std::unique_ptr<Committer> make_committer(const SinkContext& context) const override {
    return std::make_unique<PartCommitter>(directory_, context);
  }
  std::string name() const override { return "text files"; }

 private:
  const std::string directory_;
  const TextFilesOptions options_;
  const Line line_;
};

// A TextFileSink for whatever records the stream has.
struct AnyTextFiles {
  std::string directory;
  TextFilesOptions options;

  template <class T>
  operator std::shared_ptr<const Sink<T>>() const {
    return std::make_shared<const TextFileSink<T>>(directory, options);
  }
};

}  // namespace weir::connectors
