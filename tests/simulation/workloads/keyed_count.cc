#include "tests/simulation/workloads/workloads.h"
#include "weir/connectors/file/file_source.h"
#include "weir/datastream/keyed_stream.h"

namespace weir::simulation {
namespace {

std::string key_of(std::uint64_t number, std::uint64_t keys) {
  return "key-" + std::to_string(number * 7919 % keys);
}
std::string line_of(const std::string& key, std::uint64_t count) {
  return key + " " + std::to_string(count);
}

class KeyedCount final : public Workload {
 public:
  // Two files of lines of some words each; the second does not end with a line end.
  void prepare(sim::SimDisk& disk, const RunPlan& plan) const override {
    std::string text[2];
    for (std::uint64_t n = 0; n != plan.records; ++n) {
      auto& file = text[n < plan.records / 3 ? 0 : 1];
      file += key_of(n, plan.keys);
      file += n % 4 == 3 ? (n % 8 == 3 ? "\r\n" : "\n") : " ";
    }
    disk.put(std::string(kInputPath) + "/a.txt", text[0] + "\n");
    disk.put(std::string(kInputPath) + "/b.txt", text[1]);
  }

  void build(datastream::ProgramBuilder& builder, const RunPlan& plan,
             const Scale& scale) const override {
    const connectors::FileLinesOptions options{.split_bytes = 200 + plan.seed % 2000,
                                               .chunk_bytes = 128};
    const auto source = std::make_shared<const connectors::FileLineSource>(kInputPath, options);
    builder.set_default_parallelism(scale.sources);
    const auto lines = datastream::add_source<Text>(builder, source, "lines").uid("lines");
    builder.set_default_parallelism(scale.keyed);
    lines
        .flat_map<Text>([thrower = Thrower(plan.throw_one_in)](
                            const Text& line, operators::Collector<Text>& out) mutable {
          thrower.maybe_throw();
          auto rest = line.view();
          while (!rest.empty()) {
            const auto word = rest.substr(0, rest.find(' '));
            if (!word.empty()) out.emit(Text(word));
            rest.remove_prefix(std::min(word.size() + 1, rest.size()));
          }
        })
        .key_by([](const Text& word) { return word; })
        .count()
        .uid("count")
        .map([](const Keyed<Text, std::uint64_t>& counted) {
          return line_of(counted.key.str(), counted.value);
        })
        .fuse()
        .sink_to(line_sink())
        .uid("out");
  }

  // Lines, of four words each; each file's last one may be shorter.
  std::uint64_t source_records(const RunPlan& plan) const override { return plan.records / 4 + 2; }

  Lines expected(const RunPlan& plan) const override {
    std::map<std::string, std::uint64_t> counts;
    Lines lines;
    for (std::uint64_t n = 0; n != plan.records; ++n) {
      const auto key = key_of(n, plan.keys);
      ++lines[line_of(key, ++counts[key])];
    }
    return lines;
  }
};

}  // namespace

std::unique_ptr<Workload> make_keyed_count() { return std::make_unique<KeyedCount>(); }

}  // namespace weir::simulation
