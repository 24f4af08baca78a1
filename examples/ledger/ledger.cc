// Moves money between accounts; the total of the balances that it prints is 0.
//
//   ledger --transfers 1000000 | awk '{ total += $2 } END { print total }'

#include "examples/ledger/ledger.h"

int main(int argc, char** argv) {
  auto env = weir::Environment::from_args(argc, argv);
  const auto transfers =
      env.option("transfers", std::uint64_t{1'000'000}, "How many transfers there are.");
  env.enable_checkpointing(weir::Duration::seconds(1));
  examples::ledger(env, transfers)
      .map([](const examples::Balance& balance) {
        return std::to_string(balance.account) + " " + std::to_string(balance.cents);
      })
      .sink_to(weir::print());
  return env.execute("ledger");
}
