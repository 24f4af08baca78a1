// Bytes per entry of the heap's keyed state, directory and slack included.

#include <array>
#include <string>

#include "bench/pipeline/cases.h"
#include "bench/reference/records.h"
#include "weir/memory/account.h"
#include "weir/memory/page_source.h"
#include "weir/memory/staging_pool.h"
#include "weir/operators/process/table_of.h"
#include "weir/state/heap/heap_backend.h"
#include "weir/types/key_hash.h"

namespace weir::bench {
namespace {

struct Listener final : memory::RoomListener {
  void on_room() noexcept override {}
};

template <std::size_t kValueBytes>
double bytes_per_entry(std::uint64_t keys) {
  using Value = std::array<std::uint64_t, kValueBytes / 8>;
  memory::HeapPages pages;
  memory::StagingPool staging({}, pages);
  memory::Account account("operator bench", "state.heap_bytes_max", std::uint64_t{1} << 40);
  Listener listener;
  state::heap::HeapStateBackend backend;
  auto opened = backend.open({.operator_name = "bench",
                              .key_groups = {{0}, {127}},
                              .max_parallelism = 128,
                              .account = account,
                              .pages = pages,
                              .staging = staging,
                              .on_staging_room = listener});
  auto table =
      (*opened)->table({.schema = {.state_name = "value", .key = state::KeyLayout::fixed(8)},
                        .value = operators::value_type_of<Value>()});
  std::array<std::uint64_t, state::kKeyBlock> block_keys;
  std::array<std::uint64_t, state::kKeyBlock> hashes;
  std::array<void*, state::kKeyBlock> places;
  for (std::uint64_t i = 0; i < keys; i += state::kKeyBlock) {
    for (std::uint32_t j = 0; j != state::kKeyBlock; ++j) {
      block_keys[j] = spread(i + j + 1);
      hashes[j] = hash_key(block_keys[j]);
    }
    std::uint64_t is_new = 0;
    (*table)->open_to_write({.count = state::kKeyBlock,
                             .hashes = hashes.data(),
                             .fixed = reinterpret_cast<const std::byte*>(block_keys.data())},
                            places.data(), is_new);
  }
  return static_cast<double>(account.used_bytes()) /
         static_cast<double>((*opened)->statistics().entries);
}

}  // namespace

Chapter entry_bytes_chapter(Size size) {
  Chapter chapter;
  const auto add = [&](const std::string& name, auto measure) {
    // Counts, not times: once is enough, but the same code runs each time.
    chapter.cases.push_back({name, [=](Samples& s) { s.add(name, measure()); }});
  };
  const auto million = size.scaled(1'000'000);
  add("entry 1 M, 8 + 8", [=] { return bytes_per_entry<8>(million); });
  add("entry 10 M, 8 + 8", [=] { return bytes_per_entry<8>(10 * million); });
  add("entry 1 M, 8 + 56", [=] { return bytes_per_entry<56>(million); });
  add("entry 10 M, 8 + 56", [=] { return bytes_per_entry<56>(10 * million); });
  chapter.rows = [](const Samples& s) {
    std::vector<Row> rows;
    for (const auto& [name, payload] : std::map<std::string, double>{{"entry 1 M, 8 + 8", 16},
                                                                     {"entry 10 M, 8 + 8", 16},
                                                                     {"entry 1 M, 8 + 56", 64},
                                                                     {"entry 10 M, 8 + 56", 64}})
      rows.push_back(
          {"bytes per " + name, "bytes", s.median(name), 1.6 * payload + 8, Better::kLower});
    return rows;
  };
  return chapter;
}

}  // namespace weir::bench
