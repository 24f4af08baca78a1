#include <numeric>

#include "tests/simulation/workloads/workloads.h"
#include "weir/connectors/sequence/sequence_source.h"
#include "weir/datastream/keyed_stream.h"

namespace weir::simulation {
namespace {

// Who comes after whom: next[i] follows i.
using Ring = std::vector<std::uint32_t>;

// Puts a new member behind `number % size`. A ring stays a ring, and grows by one.
void insert(Ring& ring, std::uint64_t number) {
  if (ring.empty()) {
    ring.push_back(0);
    return;
  }
  const auto before = number % ring.size();
  ring.push_back(ring[before]);
  ring[before] = static_cast<std::uint32_t>(ring.size() - 1);
}

bool is_one_ring(const Ring& ring) {
  std::uint32_t at = 0;
  for (std::size_t steps = 1; steps != ring.size() + 1; ++steps) {
    at = ring[at];
    if (at == 0) return steps == ring.size();
  }
  return false;
}

std::string line_of(std::uint64_t key, const Ring& ring) {
  return "ring " + std::to_string(key) + (is_one_ring(ring) ? " is one of " : " IS BROKEN at ") +
         std::to_string(ring.size());
}

struct Insert {
  std::uint64_t ring = 0;
  std::uint64_t number = 0;
};

struct Rings {
  using Output = std::string;
  struct State {
    operators::ValueState<Ring> ring{"ring"};
  };
  void process(const Insert& in, State& state, operators::Collector<std::string>& out) {
    auto& ring = state.ring.update();
    insert(ring, in.number);
    // A ring of a hundred is left, and another is begun: states come and go.
    if (ring.size() == 100) {
      out.emit(line_of(in.ring, ring));
      state.ring.clear();
    } else if (ring.size() % 5 == 0) {
      out.emit(line_of(in.ring, ring));
    }
  }
  void on_end(const std::uint64_t& key, State& state, operators::Collector<std::string>& out) {
    out.emit("end: " + line_of(key, state.ring.get_or({})));
  }
};

std::uint64_t ring_of(std::uint64_t number, std::uint64_t rings) { return number % rings; }
std::uint64_t rings_of(const RunPlan& plan) { return std::min<std::uint64_t>(plan.keys, 20); }

class RingWorkload final : public Workload {
 public:
  void build(datastream::ProgramBuilder& builder, const RunPlan& plan,
             const Scale& scale) const override {
    const auto make = [rings = rings_of(plan)](std::uint64_t number) {
      return Insert{ring_of(number, rings), number};
    };
    const auto source = std::make_shared<const connectors::SequenceSource<Insert, decltype(make)>>(
        0, plan.records, scale.sources, make);
    builder.set_default_parallelism(scale.sources);
    const auto inserts = datastream::add_source<Insert>(builder, source, "inserts").uid("inserts");
    builder.set_default_parallelism(scale.keyed);
    inserts
        .filter([thrower = Thrower(plan.throw_one_in)](const Insert&) mutable {
          thrower.maybe_throw();
          return true;
        })
        .key_by(&Insert::ring)
        .process(Rings{})
        .uid("rings")
        .sink_to(line_sink())
        .uid("out");
  }

  Lines expected(const RunPlan& plan) const override {
    std::map<std::uint64_t, std::uint64_t> sizes;
    Lines lines;
    const auto line = [](std::uint64_t ring, std::uint64_t size) {
      return "ring " + std::to_string(ring) + " is one of " + std::to_string(size);
    };
    for (std::uint64_t n = 0; n != plan.records; ++n) {
      const auto ring = ring_of(n, rings_of(plan));
      const auto size = ++sizes[ring];
      if (size % 5 == 0) ++lines[line(ring, size)];
      if (size == 100) sizes.erase(ring);
    }
    for (const auto& [ring, size] : sizes) ++lines["end: " + line(ring, size)];
    return lines;
  }
};

}  // namespace

std::unique_ptr<Workload> make_ring() { return std::make_unique<RingWorkload>(); }

}  // namespace weir::simulation
