#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weir/weir.h"

namespace examples {

// Money that goes from one account to another.
struct Transfer {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t cents = 0;
};
// One side of it.
struct Posting {
  std::uint32_t account = 0;
  std::int64_t cents = 0;
};
struct Balance {
  std::uint32_t account = 0;
  std::int64_t cents = 0;
  std::uint64_t postings = 0;
};

inline constexpr std::uint32_t kAccounts = 1000;

// The n-th transfer of an endless, replayable business.
inline Transfer nth_transfer(std::uint64_t n) {
  const auto mixed = (n + 1) * 0x9e3779b97f4a7c15ULL;
  return {.from = static_cast<std::uint32_t>((mixed >> 16) % kAccounts),
          .to = static_cast<std::uint32_t>((mixed >> 40) % kAccounts),
          .cents = static_cast<std::int64_t>(mixed >> 54) + 1};
}

// Keeps an account, and tells its balance at the end.
struct KeepAccount {
  using Output = Balance;
  struct State {
    weir::ValueState<std::int64_t> cents{"cents"};
    weir::ValueState<std::uint64_t> postings{"postings"};
  };
  void process(const Posting& posting, State& state, weir::Collector<Balance>&) {
    state.cents.update() += posting.cents;
    ++state.postings.update();
  }
  void on_end(const std::uint32_t& account, State& state, weir::Collector<Balance>& out) {
    out.emit({account, state.cents.get_or(0), state.postings.get_or(0)});
  }
};

// Every transfer takes from one account what it gives to another, so the balances add up to nothing whatever happens
// to the machine on the way.
inline weir::DataStream<Balance> ledger(weir::Environment& env, std::uint64_t transfers) {
  return env.from_source(weir::sequence<Transfer>(0, transfers - 1, nth_transfer), "transfers")
      .uid("transfers")
      .flat_map<Posting>([](const Transfer& transfer, weir::Collector<Posting>& out) {
        out.emit({transfer.from, -transfer.cents});
        out.emit({transfer.to, transfer.cents});
      })
      .key_by(&Posting::account)
      .process(KeepAccount{})
      .name("accounts")
      .uid("accounts");
}

}  // namespace examples
