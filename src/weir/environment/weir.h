#pragma once

// Everything that a program needs to describe and run a job.

#include "weir/connectors/collect/collect_sink.h"
#include "weir/connectors/file/file_source.h"
#include "weir/connectors/file/text_file_sink.h"
#include "weir/connectors/print/print_sink.h"
#include "weir/connectors/sequence/sequence_source.h"
#include "weir/datastream/keyed_stream.h"
#include "weir/environment/environment.h"
#include "weir/operators/process/value_state.h"
#include "weir/types/text.h"

namespace weir {

using connectors::Collected;
using connectors::FileLinesOptions;
using connectors::TextFilesOptions;
using operators::Collector;
using operators::ValueState;

// The numbers first .. last, both included, dealt to the readers in equal runs.
inline auto sequence(std::uint64_t first, std::uint64_t last) {
  const auto make = [](std::uint64_t number) { return number; };
  return std::make_shared<const connectors::SequenceSource<std::uint64_t, decltype(make)>>(
      first, last + 1, 0, make);
}
// A record made of each of the numbers first .. last: `T make(std::uint64_t)`, or `void make(std::uint64_t, T&)`.
template <class T, class Make>
auto sequence(std::uint64_t first, std::uint64_t last, Make make) {
  return std::make_shared<const connectors::SequenceSource<T, Make>>(first, last + 1, 0,
                                                                     std::move(make));
}

// The lines of a text file, or of the files of a directory, as weir::Text without their line ends.
inline auto file_lines(std::string path, const FileLinesOptions& options = {}) {
  return std::make_shared<const connectors::FileLineSource>(std::move(path), options);
}

// Text files in a directory of this sink's own, a line per record, exactly once. Text is written as it is, other records
// in a form for people.
inline connectors::AnyTextFiles text_files(std::string directory,
                                           const TextFilesOptions& options = {}) {
  return {std::move(directory), options};
}
// The same with lines of one's own making: `void format(const T&, std::string& line)` writes one, without its end.
template <class T, class Format>
requires std::is_invocable_v<Format&, const T&, std::string&>
    std::shared_ptr<const connectors::Sink<T>> text_files(std::string directory, Format format,
                                                          const TextFilesOptions& options = {}) {
  using Line = connectors::FormattedLine<T, Format>;
  return std::make_shared<const connectors::TextFileSink<T, Line>>(std::move(directory), options,
                                                                   Line(std::move(format)));
}

// A line per record to standard output, in a form for people; at least once.
inline connectors::AnyPrint print() { return {}; }

template <class T>
std::shared_ptr<const connectors::CollectSink<T>> collect(std::shared_ptr<Collected<T>> into) {
  return std::make_shared<const connectors::CollectSink<T>>(std::move(into));
}

}  // namespace weir
