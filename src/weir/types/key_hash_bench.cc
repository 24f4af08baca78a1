#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "weir/base/random.h"
#include "weir/types/key_hash.h"

// Nanoseconds per key of hash_keys over batches of 1024, beside a call of the library per key.

namespace weir {
namespace {

constexpr std::size_t kBatch = 1024;
constexpr int kRounds = 4000;
constexpr int kRepeats = 7;

struct Visit {
  std::uint64_t user;
};

template <class Body>
double median_ns_per_key(Body body) {
  std::vector<double> times;
  for (int repeat = 0; repeat != kRepeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round != kRounds; ++round) body();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    times.push_back(took.count() / (kRounds * kBatch));
  }
  std::ranges::nth_element(times, times.begin() + kRepeats / 2);
  return times[kRepeats / 2];
}

template <class K, class Bytes>
void measure(const char* name, const std::vector<K>& keys, Bytes bytes) {
  std::vector<std::uint64_t> out(kBatch);
  const auto keep = [&] { asm volatile("" : : "r"(out.data()) : "memory"); };
  const double ours = median_ns_per_key([&] {
    hash_keys(std::span<const K>(keys), out.data());
    keep();
  });
  const double library = median_ns_per_key([&] {
    for (std::size_t i = 0; i != kBatch; ++i) {
      const ByteView view = bytes(keys[i]);
      out[i] = XXH3_64bits(view.data(), view.size());
    }
    keep();
  });
  std::printf("%-24s %6.2f ns   library, bytes as they lie %6.2f ns\n", name, ours, library);
}

void run() {
  Random random(1);
  const auto object = [](const auto& key) { return std::as_bytes(std::span(&key, 1)); };
  const auto text = [](const auto& key) { return bytes_of(internal::view_of(key)); };

  std::vector<std::uint64_t> numbers(kBatch);
  for (auto& n : numbers) n = random.next();
  measure("uint64", numbers, object);
  measure("double", std::vector<double>(numbers.begin(), numbers.end()), object);
  measure("int32", std::vector<std::int32_t>(kBatch, 7), object);
  std::vector<Visit> visits(kBatch);
  for (auto& visit : visits) visit.user = random.next();
  measure("record of uint64", visits, object);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs(kBatch);
  for (auto& pair : pairs) pair = {random.next(), random.next()};
  measure("pair of uint64", pairs, object);

  std::vector<std::string> words(kBatch);
  for (auto& word : words)
    word.assign(1 + random.below(12), static_cast<char>('a' + random.below(26)));
  measure("string of 1..12", words, text);
  measure(
      "Text of 1..12",
      [&] {
        std::vector<Text> texts;
        texts.reserve(words.size());
        for (const auto& word : words) texts.emplace_back(word);
        return texts;
      }(),
      text);
  std::vector<std::string> urls(kBatch);
  for (auto& url : urls)
    url.assign(20 + random.below(80), static_cast<char>('a' + random.below(26)));
  measure("string of 20..99", urls, text);
}

}  // namespace
}  // namespace weir

int main() { weir::run(); }
