#include "examples/ledger/ledger.h"

#include <atomic>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace examples {
namespace {

TEST(LedgerTest, TheBalancesAreThoseOfANaiveLedgerThoughTheJobFailsOnTheWay) {
  std::string dir = testing::TempDir() + "ledger-XXXXXX";
  ASSERT_NE(mkdtemp(dir.data()), nullptr);
  constexpr std::uint64_t kTransfers = 200'000;
  weir::Environment env({"--checkpoint-dir", dir, "--checkpoint-interval", "10 ms", "--parallelism",
                         "2", "-Drestart-strategy.fixed-delay.delay=1 ms",
                         "-Dweir.watchdog-aborts=true"});
  const auto balances = std::make_shared<weir::Collected<Balance>>();
  std::atomic<int> failures{0};
  env.from_source(weir::sequence<Transfer>(0, kTransfers - 1, nth_transfer), "transfers")
      .map([&failures, seen = 0](const Transfer& transfer) mutable {
        if (++seen == 60'000 && failures.fetch_add(1) < 2)
          throw std::runtime_error("the lights went out");
        return transfer;
      })
      .flat_map<Posting>([](const Transfer& transfer, weir::Collector<Posting>& out) {
        out.emit({transfer.from, -transfer.cents});
        out.emit({transfer.to, transfer.cents});
      })
      .key_by(&Posting::account)
      .process(KeepAccount{})
      .sink_to(weir::collect(balances));
  ASSERT_EQ(env.execute("ledger"), 0);
  std::filesystem::remove_all(dir);
  EXPECT_GE(failures.load(), 2);

  std::map<std::uint32_t, std::int64_t> want;
  for (std::uint64_t n = 0; n != kTransfers; ++n) {
    const auto transfer = nth_transfer(n);
    want[transfer.from] -= transfer.cents;
    want[transfer.to] += transfer.cents;
  }
  std::map<std::uint32_t, std::int64_t> got;
  std::int64_t total = 0;
  std::uint64_t postings = 0;
  for (const auto& balance : balances->values()) {
    got[balance.account] = balance.cents;
    total += balance.cents;
    postings += balance.postings;
  }
  EXPECT_EQ(got, want);
  EXPECT_EQ(total, 0);
  EXPECT_EQ(postings, 2 * kTransfers);
}

}  // namespace
}  // namespace examples
