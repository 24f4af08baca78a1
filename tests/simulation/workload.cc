#include "tests/simulation/workload.h"

#include "weir/connectors/sequence/sequence_source.h"

#include "tests/simulation/workloads/workloads.h"
#include "weir/connectors/file/text_file_sink.h"

namespace weir::simulation {

std::unique_ptr<Workload> make_workload(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kKeyedCount:
      return make_keyed_count();
    case WorkloadKind::kLedger:
      return make_ledger();
    case WorkloadKind::kRing:
      return make_ring();
    case WorkloadKind::kTotals:
      return make_totals();
  }
  return nullptr;
}

namespace {
constexpr std::string_view kOutputs = "output-";
}  // namespace

DataStream<std::uint64_t> numbers_source(datastream::ProgramBuilder& builder, const RunPlan& plan,
                                         const Scale& scale, std::uint32_t splits_per_reader,
                                         const std::string& name) {
  const auto make = [](std::uint64_t number) { return number; };
  const auto source =
      std::make_shared<const connectors::SequenceSource<std::uint64_t, decltype(make)>>(
          0, plan.records, scale.sources * splits_per_reader, make);
  builder.set_default_parallelism(scale.sources);
  return datastream::add_source<std::uint64_t>(builder, source, name).uid(name);
}

std::shared_ptr<const connectors::Sink<std::string>> line_sink(const std::string& name) {
  using Line = connectors::ReadableLine;
  return std::make_shared<const connectors::TextFileSink<std::string, Line>>(
      std::string(kOutputs) + name, connectors::TextFilesOptions{});
}

Lines visible_lines(const sim::SimDisk& disk) {
  Lines lines;
  for (const auto& path : disk.paths()) {
    if (!path.starts_with(kOutputs) || path[path.rfind('/') + 1] == '.') continue;
    const auto content = *disk.content(path);
    std::size_t begin = 0;
    for (auto end = content.find('\n'); end != std::string::npos; end = content.find('\n', begin)) {
      ++lines[content.substr(begin, end - begin)];
      begin = end + 1;
    }
    if (begin != content.size()) ++lines["torn: " + content.substr(begin)];
  }
  return lines;
}

std::string wrong_in(const Lines& visible, const Lines& expected, Repeats repeats) {
  for (const auto& [line, times] : visible) {
    const auto at = expected.find(line);
    if (at == expected.end()) return "'" + line + "' is visible, which should never be";
    if (times > at->second && repeats == Repeats::kForbidden)
      return "'" + line + "' is visible " + std::to_string(times) + " times, not " +
             std::to_string(at->second);
  }
  return {};
}

std::string missing_in(const Lines& visible, const Lines& expected) {
  for (const auto& [line, times] : expected) {
    const auto at = visible.find(line);
    const auto seen = at == visible.end() ? 0 : at->second;
    if (seen < times)
      return "'" + line + "' is visible " + std::to_string(seen) + " times, not " +
             std::to_string(times);
  }
  return {};
}

}  // namespace weir::simulation
