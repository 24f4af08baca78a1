#include "tests/simulation/workloads/workloads.h"
#include "weir/connectors/sequence/sequence_source.h"
#include "weir/datastream/keyed_stream.h"

namespace weir::simulation {
namespace {

// What is added up: a key's records are all alike, since they come in no order of their own.
struct Item {
  std::uint64_t key = 0;
  std::uint64_t value = 0;
};
Item item_of(std::uint64_t number, std::uint64_t keys) {
  const auto key = number * 31 % keys;
  return {key, 3 + 2 * key};
}

// The last digits of a product; odd numbers never come to nothing.
std::uint64_t product(std::uint64_t a, std::uint64_t b) { return a * b % 1'000'000'007; }

std::string line_of(const char* what, std::uint64_t key, std::uint64_t value) {
  return std::string(what) + " of " + std::to_string(key) + " is " + std::to_string(value);
}

// One mapped stream with two keyed operators behind it, each with its own sink's lines in the same sink.
class Totals final : public Workload {
 public:
  void build(datastream::ProgramBuilder& builder, const RunPlan& plan,
             const Scale& scale) const override {
    const auto items = numbers_source(builder, plan, scale, 2, "numbers")
                           .map([keys = plan.keys, thrower = Thrower(plan.throw_one_in)](
                                    const std::uint64_t& number) mutable {
                             thrower.maybe_throw();
                             return item_of(number, keys);
                           })
                           .name("items");
    builder.set_default_parallelism(scale.keyed);
    const auto by_key = items.key_by(&Item::key);
    by_key.sum(&Item::value)
        .uid("sum")
        .map([](const Keyed<std::uint64_t, std::uint64_t>& sum) {
          return line_of("sum", sum.key, sum.value);
        })
        .sink_to(line_sink("sums"))
        .uid("sums");
    by_key
        .reduce([](const Item& so_far, const Item& item) {
          return Item{so_far.key, product(so_far.value, item.value)};
        })
        .uid("reduce")
        .map([](const Keyed<std::uint64_t, Item>& reduced) {
          return line_of("product", reduced.key, reduced.value.value);
        })
        .sink_to(line_sink("products"))
        .uid("products");
  }

  Lines expected(const RunPlan& plan) const override {
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> totals;
    Lines lines;
    for (std::uint64_t n = 0; n != plan.records; ++n) {
      const auto item = item_of(n, plan.keys);
      auto& [sum, all] = totals[item.key];
      all = sum == 0 ? item.value : product(all, item.value);
      sum += item.value;
      ++lines[line_of("sum", item.key, sum)];
      ++lines[line_of("product", item.key, all)];
    }
    return lines;
  }
};

}  // namespace

std::unique_ptr<Workload> make_totals() { return std::make_unique<Totals>(); }

}  // namespace weir::simulation
