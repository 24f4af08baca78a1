#pragma once

#include <memory>
#include <string>

#include "weir/connectors/api/sink.h"
#include "weir/connectors/print/console_writer.h"
#include "weir/types/readable.h"

namespace weir::connectors {

// Makes lines of records and hands them to a ConsoleWriter.
//
//   Thread  as SinkWriter says
template <class T>
class PrintWriter final : public SinkWriter<T> {
 public:
  Result<commit::Outside> open(SinkContext& context) override {
    lines_.open(context);
    return commit::Outside{};
  }
  Result<std::uint32_t> write(const stream::RecordBatch<T>& batch, std::uint32_t from) override {
    auto at = from;
    for (; at != batch.size() && lines_.has_room(); ++at) {
      append_readable(lines_.text(), batch[at]);
      lines_.text() += '\n';
    }
    lines_.send();
    return at - from;
  }
  std::vector<commit::Committable> stage(CheckpointId) override { return {}; }
  std::function<void(StagedDone)> make_durable() override { return lines_.flushed(); }
  Status health() const override { return lines_.health(); }
  bool is_quiet() const override { return lines_.is_quiet(); }

 private:
  ConsoleWriter lines_;
};

// A line per record to standard output, in the form of types/readable.h. At least once: after a failure lines come again.
//
//   Thread  any; it is only read
template <class T>
class PrintSink final : public Sink<T> {
 public:
  std::unique_ptr<SinkWriter<T>> make_writer() const override {
    return std::make_unique<PrintWriter<T>>();
  }
  std::unique_ptr<Committer> make_committer(const SinkContext&) const override { return nullptr; }
  std::string name() const override { return "print"; }
};

// A PrintSink for whatever records the stream has.
struct AnyPrint {
  template <class T>
  operator std::shared_ptr<const Sink<T>>() const {
    return std::make_shared<const PrintSink<T>>();
  }
};

}  // namespace weir::connectors
