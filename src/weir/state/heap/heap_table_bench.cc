// The keyed table against what one would write by hand: bench/reference/plain_table.h.
//
//   heap_table_bench            all parts
//   heap_table_bench updates    uniform updates of 8 + 8 bytes, all keys present
//   heap_table_bench growing    the same from empty
//   heap_table_bench bytes      bytes per entry
//   heap_table_bench cuts [keys [bytes per walk]]
//                               12 M x (8 + 56) bytes under an unbroken sequence of whole cuts
//
// Both sides of a comparison run by turns in one process and the fastest of several rounds counts:
// read the ratios.
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bench/reference/plain_table.h"
#include "weir/env/posix/posix_pages.h"
#include "weir/state/heap/heap_backend.h"

namespace weir::state::heap {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The processor time of this thread: others on the machine disturb it less.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// One thread that does what it is given.
class IoThread {
 public:
  IoThread() : thread_([this] { run(); }) {}
  ~IoThread() {
    {
      std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void submit(std::function<void()> work) {
    {
      std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
    }
    changed_.notify_one();
  }
  void wait_until_idle() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return work_.empty() && !is_busy_; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return is_over_ || !work_.empty(); });
      if (work_.empty()) return;
      auto work = std::move(work_.front());
      work_.pop_front();
      is_busy_ = true;
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      is_busy_ = false;
      if (work_.empty()) idle_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> work_;
  bool is_over_ = false;
  bool is_busy_ = false;
  std::thread thread_;
};

// Encodes what is saved and throws it away, as fast as a disk of that speed would take it.
class Discard final : public SnapshotOutput {
 public:
  Discard(IoThread& io, double bytes_per_second) : io_(io), bytes_per_second_(bytes_per_second) {}
  void take(StagedBlock block) override {
    auto shared = std::make_shared<StagedBlock>(std::move(block));
    io_.submit([this, shared] {
      shared->encode(dense_);
      bytes_ += dense_.bytes.size();
      if (bytes_per_second_ == 0) return;
      free_at_ =
          std::max(free_at_, now()) + static_cast<double>(dense_.bytes.size()) / bytes_per_second_;
      while (free_at_ - now() > 0.002) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  IoThread& io_;
  const double bytes_per_second_;
  DenseBlock dense_;  // the I/O thread's
  double free_at_ = 0;
  std::atomic<std::uint64_t> bytes_{0};
};

class NoListener final : public memory::RoomListener {
 public:
  void on_room() noexcept override {}
};

// Plain values of N bytes, of which the first eight are a count.
template <std::size_t N>
ValueType plain_value() {
  ValueType type;
  type.size = N;
  type.alignment = 8;
  type.is_plain_bytes = true;
  type.construct = [](void* at) { std::memset(at, 0, N); };
  type.write = [](const void* value, ByteWriter& out) {
    out.raw({static_cast<const std::byte*>(value), N});
  };
  type.read = [](ByteReader& in, void* value) {
    const auto bytes = in.raw(N);
    if (in.ok()) std::memcpy(value, bytes.data(), N);
    return in.ok();
  };
  return type;
}

// A backend with one table.
struct World {
  env::PosixPages pages;
  IoThread io;
  IoThread maker;  // of fresh chunks: an I/O pool has more than one thread
  memory::Account account{"bench", "state.heap_bytes_max", std::uint64_t{1} << 40};
  memory::StagingPool staging{
      {}, pages, [this](std::function<void()> work) { maker.submit(std::move(work)); }};
  NoListener listener;
  std::unique_ptr<KeyedBackend> backend;
  KeyedTable* table = nullptr;

  explicit World(const ValueType& value) {
    HeapStateBackend heap;
    backend = *heap.open({.operator_name = "bench[0]",
                          .key_groups = {KeyGroup{0}, KeyGroup{127}},
                          .max_parallelism = 128,
                          .account = account,
                          .pages = pages,
                          .staging = staging,
                          .on_staging_room = listener});
    TableDescriptor descriptor;
    descriptor.schema.state_name = "count";
    descriptor.schema.key = KeyLayout::fixed(8);
    descriptor.value = value;
    table = *backend->table(descriptor);
  }
  ~World() {
    io.wait_until_idle();
    backend.reset();
    maker.wait_until_idle();
  }
};

constexpr std::uint32_t kBatch = 1024;

std::uint64_t key_number(std::uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15; }

class Keys {
 public:
  explicit Keys(std::uint64_t count) : count_(count) {}
  void fill(std::array<std::uint64_t, kBatch>& keys) {
    for (auto& key : keys) {
      x_ ^= x_ << 13;
      x_ ^= x_ >> 7;
      x_ ^= x_ << 17;
      key = key_number(static_cast<std::uint64_t>(
          __extension__ static_cast<unsigned __int128>(x_) * count_ >> 64));
    }
  }

 private:
  std::uint64_t count_;
  std::uint64_t x_ = 88172645463325252ULL;
};

struct Batch {
  std::array<std::uint64_t, kBatch> keys;
  std::array<std::uint64_t, kBatch> hashes;

  void hash() {
    for (std::uint32_t i = 0; i != kBatch; ++i) hashes[i] = XXH3_64bits(&keys[i], 8);
  }
};

// Adds one to the value of every key of the batch from `at` on; where it stopped.
std::uint32_t add_all(KeyedTable& table, const Batch& batch, std::uint32_t at = 0) {
  void* places[kKeyBlock];
  std::uint64_t is_new;
  while (at != kBatch) {
    const KeyBlock block{std::min(kKeyBlock, kBatch - at), batch.hashes.data() + at,
                         reinterpret_cast<const std::byte*>(batch.keys.data() + at)};
    const auto n = table.open_to_write(block, places, is_new);
    for (std::uint32_t i = 0; i != n; ++i) ++*static_cast<std::uint64_t*>(places[i]);
    at += n;
    if (n != block.count) break;
  }
  return at;
}

void fill(KeyedTable& table, std::uint64_t keys) {
  Batch batch;
  for (std::uint64_t i = 0; i < keys; i += kBatch) {
    for (std::uint64_t j = 0; j != kBatch; ++j)
      batch.keys[j] = key_number(std::min(i + j, keys - 1));
    batch.hash();
    add_all(table, batch);
  }
}

std::uint64_t sink = 0;

double seconds_of(const std::function<void()>& work) {
  const double begin = processor_seconds();
  work();
  return processor_seconds() - begin;
}

void updates(std::uint64_t key_count) {
  World world(plain_value<8>());
  fill(*world.table, key_count);
  bench::PlainTable<8> plain(key_count);
  for (std::uint64_t i = 0; i != key_count; ++i) plain.at(key_number(i)) = 1;
  const std::uint64_t batches = std::max<std::uint64_t>(8'000'000, key_count) / kBatch;
  Keys keys(key_count);
  Batch batch;
  const auto each_batch = [&](auto use) {
    return seconds_of([&] {
      for (std::uint64_t b = 0; b != batches; ++b) {
        keys.fill(batch.keys);
        use();
      }
    });
  };
  double generate = 1e9, weir = 1e9, by_hand = 1e9, ahead = 1e9;
  for (int round = 0; round != 7; ++round) {
    generate = std::min(generate, each_batch([&] {
                          batch.hash();
                          sink += batch.hashes[batch.keys[0] % kBatch];
                        }));
    weir = std::min(weir, each_batch([&] {
                      batch.hash();
                      add_all(*world.table, batch);
                    }));
    by_hand = std::min(by_hand, each_batch([&] {
                         for (const auto key : batch.keys) ++plain.at(key);
                       }));
    ahead = std::min(ahead, each_batch([&] {
                       constexpr std::uint32_t kAhead = 32;
                       for (std::uint32_t i = 0; i != kBatch + kAhead; ++i) {
                         if (i < kBatch) plain.prefetch(batch.keys[i]);
                         if (i >= kAhead) ++plain.at(batch.keys[i - kAhead]);
                       }
                     }));
  }
  const double n = static_cast<double>(batches * kBatch);
  const auto ns = [n](double seconds) { return seconds / n * 1e9; };
  std::printf(
      "%9llu keys: weir %5.1f ns (table alone %5.1f), by hand %5.1f, with prefetch %5.1f;  ratio "
      "%.2f, with prefetch %.2f\n",
      static_cast<unsigned long long>(key_count), ns(weir), ns(weir - generate), ns(by_hand),
      ns(ahead), by_hand / weir, ahead / weir);
}

void growing(std::uint64_t key_count) {
  double weir = 1e9, by_hand = 1e9;
  for (int round = 0; round != 3; ++round) {
    {
      World world(plain_value<8>());
      weir = std::min(weir, seconds_of([&] { fill(*world.table, key_count); }));
    }
    bench::PlainTable<8> plain(0);
    by_hand = std::min(by_hand, seconds_of([&] {
                         for (std::uint64_t i = 0; i != key_count; ++i)
                           ++plain.at_growing(key_number(i));
                       }));
  }
  const auto ns = [key_count](double seconds) {
    return seconds / static_cast<double>(key_count) * 1e9;
  };
  std::printf("%9llu keys from empty: weir %5.1f ns, doubling by hand %5.1f;  ratio %.2f\n",
              static_cast<unsigned long long>(key_count), ns(weir), ns(by_hand), by_hand / weir);
}

template <std::size_t N>
void bytes_per_entry(std::uint64_t key_count) {
  World world(plain_value<N>());
  fill(*world.table, key_count);
  const double bytes =
      static_cast<double>(world.account.used_bytes()) / static_cast<double>(key_count);
  const double goal = 1.6 * (8 + N) + 8;
  std::printf("%9llu x (8 + %2zu): %6.1f bytes per entry, goal %.1f%s\n",
              static_cast<unsigned long long>(key_count), N, bytes, goal,
              bytes <= goal ? "" : "  MISSED");
}

struct Delays {
  std::vector<float> micros;
  double at(double quantile) {
    std::sort(micros.begin(), micros.end());
    return micros[static_cast<std::size_t>(quantile * static_cast<double>(micros.size() - 1))];
  }
};

void cuts(std::uint64_t key_count, double seconds, std::uint64_t walk_bytes,
          double disk_bytes_per_second) {
  World world(plain_value<56>());
  fill(*world.table, key_count);
  Discard discard(world.io, disk_bytes_per_second);
  Keys keys(key_count);
  Batch batch;
  double rate_without = 0;
  std::uint64_t id = 0;
  for (const bool with_cuts : {false, true, false, true}) {
    Delays delays;
    std::uint64_t batches = 0, done = 0, blocked = 0;
    const double begin = now(), processor_begin = processor_seconds();
    bool is_open = false;
    while (now() - begin < seconds || is_open) {
      if (with_cuts && !is_open && now() - begin < seconds) {
        (void)world.backend->cut(CheckpointId{++id}, CutKind::kWhole, discard);
        is_open = true;
      }
      keys.fill(batch.keys);
      batch.hash();
      const double ready = now();
      std::uint32_t at = add_all(*world.table, batch);
      while (at != kBatch) {
        ++blocked;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        at = add_all(*world.table, batch, at);
      }
      if (is_open) {
        const auto progress = *world.backend->walk(walk_bytes);
        if (progress.state == WalkState::kDone) {
          ++done;
          is_open = false;
        }
      }
      delays.micros.push_back(static_cast<float>((now() - ready) * 1e6));
      ++batches;
    }
    const double rate =
        static_cast<double>(batches * kBatch) / (processor_seconds() - processor_begin);
    if (!with_cuts) rate_without = std::max(rate_without, rate);
    std::printf(
        "%s: %5.1f M/s (%.2f), batch p50 %4.0f p99 %5.0f p99.9 %5.0f max %6.0f us, %llu cuts, "
        "interval %.2f s, %.0f MB each, blocked %llu times, staging peak %.1f MB\n",
        with_cuts ? "cuts   " : "no cuts", rate / 1e6, rate / rate_without, delays.at(0.5),
        delays.at(0.99), delays.at(0.999), delays.at(1.0), static_cast<unsigned long long>(done),
        done == 0 ? 0 : (now() - begin) / static_cast<double>(done),
        id == 0 ? 0.0 : static_cast<double>(discard.bytes()) / 1e6 / static_cast<double>(id),
        static_cast<unsigned long long>(blocked),
        static_cast<double>(world.staging.peak_in_use_bytes()) / 1e6);
    world.io.wait_until_idle();
  }
}

int run(std::string_view part, int argc, char** argv) {
  const bool all = part.empty();
  if (all || part == "updates") {
    if (argc > 2) {
      updates(std::strtoull(argv[2], nullptr, 10));
    } else {
      for (const std::uint64_t keys : {1'000, 10'000, 100'000, 1'000'000, 10'000'000})
        updates(keys);
    }
  }
  if (all || part == "growing") {
    for (const std::uint64_t keys : {1'000, 1'000'000, 10'000'000}) growing(keys);
  }
  if (all || part == "bytes") {
    for (const std::uint64_t keys :
         {700'000, 1'000'000, 1'200'000, 1'400'000, 10'000'000, 14'000'000}) {
      bytes_per_entry<8>(keys);
      bytes_per_entry<56>(keys);
    }
  }
  if (all || part == "cuts") {
    const auto number = [&](int place, std::uint64_t otherwise) {
      return argc > place ? std::strtoull(argv[place], nullptr, 10) : otherwise;
    };
    for (const double disk : {0.5e9}) {
      std::printf("a disk of %.1f GB/s (0: without limit)\n", disk / 1e9);
      cuts(number(2, 12'000'000), 6.0, number(3, std::uint64_t{32} << 10), disk);
    }
  }
  return sink == 1 ? 1 : 0;
}

}  // namespace
}  // namespace weir::state::heap

int main(int argc, char** argv) {
  return weir::state::heap::run(argc > 1 ? argv[1] : "", argc, argv);
}
