#include "tests/simulation/workloads/workloads.h"
#include "weir/connectors/sequence/sequence_source.h"
#include "weir/datastream/keyed_stream.h"

namespace weir::simulation {
namespace {

std::string key_of(std::uint64_t number, std::uint64_t keys) { return "key-" + std::to_string(number * 7919 % keys); }
std::string line_of(const std::string& key, std::uint64_t count) { return key + " " + std::to_string(count); }

class KeyedCount final : public Workload {
 public:
  explicit KeyedCount(Output output) : output_(std::move(output)) {}

  void build(datastream::ProgramBuilder& builder, const RunPlan& plan, const Scale& scale) const override {
    const auto make = [keys = plan.keys](std::uint64_t number) { return key_of(number, keys); };
    const auto source = std::make_shared<const connectors::SequenceSource<std::string, decltype(make)>>(
        0, plan.records, scale.sources * 2, make);
    builder.set_default_parallelism(scale.sources);
    const auto words = datastream::add_source<std::string>(builder, source, "words").uid("words");
    builder.set_default_parallelism(scale.keyed);
    words
        .map([thrower = Thrower(plan.throw_one_in)](const std::string& word) mutable {
          thrower.maybe_throw();
          return word;
        })
        .key_by([](const std::string& word) { return word; })
        .count()
        .uid("count")
        .map([](const Keyed<std::string, std::uint64_t>& counted) { return line_of(counted.key, counted.value); })
        .fuse()
        .sink_to(std::make_shared<const connectors::CollectSink<std::string>>(output_))
        .uid("out");
  }

  Lines expected(const RunPlan& plan) const override {
    std::map<std::string, std::uint64_t> counts;
    Lines lines;
    for (std::uint64_t n = 0; n != plan.records; ++n) {
      const auto key = key_of(n, plan.keys);
      ++lines[line_of(key, ++counts[key])];
    }
    return lines;
  }

 private:
  const Output output_;
};

}  // namespace

std::unique_ptr<Workload> make_keyed_count(Output output) { return std::make_unique<KeyedCount>(std::move(output)); }

}  // namespace weir::simulation
