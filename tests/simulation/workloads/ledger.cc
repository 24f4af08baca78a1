#include "tests/simulation/workloads/workloads.h"
#include "weir/connectors/sequence/sequence_source.h"
#include "weir/datastream/keyed_stream.h"

namespace weir::simulation {
namespace {

// One side of a transfer.
struct Posting {
  std::uint64_t account = 0;
  std::int64_t amount = 0;
};

struct Transfer {
  std::uint64_t from;
  std::uint64_t to;
  std::int64_t amount;
};
Transfer transfer(std::uint64_t number, std::uint64_t accounts) {
  Random random(number);
  return {random.below(accounts), random.below(accounts), random.between(1, 100)};
}

// An account's balance and how many postings made it, each time it changes; at the end once more.
struct Accounts {
  using Output = std::string;
  struct State {
    operators::ValueState<std::int64_t> balance{"balance"};
    operators::ValueState<std::uint32_t> postings{"postings"};
  };
  void process(const Posting& posting, State& state, operators::Collector<std::string>& out) {
    state.balance.update() += posting.amount;
    const auto count = ++state.postings.update();
    // Transfers reach an account in no order of their own, so only the count is sure in between.
    if (count % 10 == 0)
      out.emit("account " + std::to_string(posting.account) + " has " + std::to_string(count));
  }
  void on_end(const std::uint64_t& account, State& state, operators::Collector<std::string>& out) {
    out.emit("account " + std::to_string(account) + " ends with " +
             std::to_string(state.balance.get_or(0)));
  }
};

class Ledger final : public Workload {
 public:
  void build(datastream::ProgramBuilder& builder, const RunPlan& plan,
             const Scale& scale) const override {
    const auto numbers = numbers_source(builder, plan, scale, 3, "transfers");
    builder.set_default_parallelism(scale.keyed);
    numbers
        .flat_map<Posting>(
            [accounts = plan.keys, thrower = Thrower(plan.throw_one_in)](
                const std::uint64_t& number, operators::Collector<Posting>& out) mutable {
              thrower.maybe_throw();
              const auto t = transfer(number, accounts);
              out.emit({t.from, -t.amount});
              out.emit({t.to, t.amount});
            })
        .key_by(&Posting::account)
        .process(Accounts{})
        .uid("accounts")
        .sink_to(line_sink())
        .uid("out");
  }

  Lines expected(const RunPlan& plan) const override {
    std::map<std::uint64_t, std::pair<std::int64_t, std::uint64_t>> accounts;
    Lines lines;
    const auto post = [&](std::uint64_t account, std::int64_t amount) {
      auto& [balance, count] = accounts[account];
      balance += amount;
      if (++count % 10 == 0)
        ++lines["account " + std::to_string(account) + " has " + std::to_string(count)];
    };
    for (std::uint64_t n = 0; n != plan.records; ++n) {
      const auto t = transfer(n, plan.keys);
      post(t.from, -t.amount);
      post(t.to, t.amount);
    }
    std::int64_t total = 0;
    for (const auto& [account, state] : accounts) {
      total += state.first;
      ++lines["account " + std::to_string(account) + " ends with " + std::to_string(state.first)];
    }
    WEIR_CHECK(total == 0);
    return lines;
  }
};

}  // namespace

std::unique_ptr<Workload> make_ledger() { return std::make_unique<Ledger>(); }

}  // namespace weir::simulation
