#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/checksum.h"
#include "weir/base/random.h"
#include "weir/state/api/keyed_backend.h"
#include "weir/state/api/snapshot_reader.h"
#include "weir/state/api/snapshot_writer.h"

// What the contract of state backends is tried on: kinds of keys and values, a backend with everything it is built
// over, and an I/O side that a test works by hand.
namespace weir::state::contract {

using MakeBackend = std::unique_ptr<StateBackend> (*)();

// A kind of value, and how a number becomes one of them.
struct Kind {
  ValueType type;
  void (*write)(void* place, std::uint64_t seed);
};

namespace internal {
template <class T>
Kind flat_kind(void (*write)(void*, std::uint64_t)) {
  static_assert(std::is_trivially_copyable_v<T>);
  ValueType type;
  type.size = sizeof(T);
  type.alignment = alignof(T);
  type.construct = [](void* at) { new (at) T{}; };
  type.write = [](const void* value, ByteWriter& out) {
    out.number(std::uint8_t{0});  // So that the serialised form is not the value's own bytes.
    out.raw({static_cast<const std::byte*>(value), sizeof(T)});
  };
  type.read = [](ByteReader& in, void* value) {
    const bool is_version_0 = in.number<std::uint8_t>() == 0;
    const auto bytes = in.raw(sizeof(T));
    if (in.ok()) std::memcpy(value, bytes.data(), sizeof(T));
    return is_version_0 && in.ok();
  };
  return {type, write};
}

template <class T>
Kind object_kind(void (*write_value)(const void*, ByteWriter&), bool (*read)(ByteReader&, void*),
                 std::size_t (*heap_bytes)(const void*), void (*write)(void*, std::uint64_t)) {
  ValueType type;
  type.size = sizeof(T);
  type.alignment = alignof(T);
  type.is_flat = false;
  type.construct = [](void* at) { new (at) T{}; };
  type.destroy = [](void* at) noexcept { static_cast<T*>(at)->~T(); };
  type.relocate = [](void* from, void* to) noexcept {
    new (to) T(std::move(*static_cast<T*>(from)));
    static_cast<T*>(from)->~T();
  };
  type.write = write_value;
  type.read = read;
  type.heap_bytes = heap_bytes;
  return {type, write};
}

struct Seven {
  std::uint64_t words[7];
};
struct Large {
  std::uint64_t words[250];
};
}  // namespace internal

inline Kind flat8() {
  Kind kind = internal::flat_kind<std::uint64_t>(
      [](void* place, std::uint64_t seed) { *static_cast<std::uint64_t*>(place) = seed; });
  kind.type.is_plain_bytes = true;
  kind.type.write = [](const void* value, ByteWriter& out) {
    out.number(*static_cast<const std::uint64_t*>(value));
  };
  kind.type.read = [](ByteReader& in, void* value) {
    *static_cast<std::uint64_t*>(value) = in.number<std::uint64_t>();
    return in.ok();
  };
  return kind;
}
inline Kind flat1() {
  return internal::flat_kind<std::uint8_t>([](void* place, std::uint64_t seed) {
    *static_cast<std::uint8_t*>(place) = static_cast<std::uint8_t>(seed);
  });
}
inline Kind flat56() {
  return internal::flat_kind<internal::Seven>([](void* place, std::uint64_t seed) {
    for (auto& word : static_cast<internal::Seven*>(place)->words) word = seed++;
  });
}
// The same, told to the backend: a byte, then the value's own.
inline Kind plain56() {
  Kind kind = flat56();
  kind.type.is_plain_bytes = true;
  kind.type.plain_header = std::byte{0};
  return kind;
}
inline Kind flat2000() {
  return internal::flat_kind<internal::Large>([](void* place, std::uint64_t seed) {
    for (auto& word : static_cast<internal::Large*>(place)->words) word = seed++;
  });
}
inline Kind text() {
  using T = std::string;
  return internal::object_kind<T>(
      [](const void* value, ByteWriter& out) { out.text(*static_cast<const T*>(value)); },
      [](ByteReader& in, void* value) {
        *static_cast<T*>(value) = in.text();
        return in.ok();
      },
      [](const void* value) { return static_cast<const T*>(value)->capacity(); },
      [](void* place, std::uint64_t seed) {
        static_cast<T*>(place)->assign(seed % 7 == 0 ? 300 : seed % 40, static_cast<char>(seed));
      });
}
inline Kind numbers() {
  using T = std::vector<std::uint32_t>;
  return internal::object_kind<T>(
      [](const void* value, ByteWriter& out) {
        const auto& list = *static_cast<const T*>(value);
        out.leb128(list.size());
        for (const auto number : list) out.number(number);
      },
      [](ByteReader& in, void* value) {
        const auto size = in.leb128();
        if (size > in.remaining() / 4) return false;
        auto& list = *static_cast<T*>(value);
        list.clear();
        for (std::uint64_t i = 0; i != size; ++i) list.push_back(in.number<std::uint32_t>());
        return in.ok();
      },
      [](const void* value) {
        return static_cast<const T*>(value)->capacity() * sizeof(std::uint32_t);
      },
      // Grows and shrinks from one write to the next.
      [](void* place, std::uint64_t seed) {
        auto& list = *static_cast<T*>(place);
        if (seed % 5 == 0) T().swap(list);
        list.push_back(static_cast<std::uint32_t>(seed));
      });
}

// A kind of table.
struct Shape {
  std::string name;
  TableDescriptor descriptor;
  Kind kind;
};

// Keys of `key_bytes`, or of any size where that is 0.
inline Shape shape_of(std::string name, std::uint32_t key_bytes, std::uint32_t namespace_bytes,
                      const Kind& kind) {
  Shape shape;
  shape.name = std::move(name);
  shape.kind = kind;
  shape.descriptor.value = kind.type;
  shape.descriptor.schema.state_name = "state of " + shape.name;
  shape.descriptor.schema.key =
      key_bytes == 0 ? KeyLayout::variable() : KeyLayout::fixed(key_bytes);
  shape.descriptor.schema.namespace_bytes = namespace_bytes;
  return shape;
}

inline std::vector<Shape> all_shapes() {
  return {shape_of("4-byte keys, numbers", 4, 0, flat8()),
          shape_of("8-byte keys, numbers", 8, 0, flat8()),
          shape_of("8-byte keys, bytes", 8, 0, flat1()),
          shape_of("8-byte keys, records", 8, 0, flat56()),
          shape_of("8-byte keys, records that are plain bytes", 8, 0, plain56()),
          shape_of("16-byte keys, texts", 16, 0, text()),
          shape_of("11-byte keys, lists", 11, 0, numbers()),
          shape_of("variable keys, numbers", 0, 0, flat8()),
          shape_of("variable keys, texts", 0, 0, text()),
          shape_of("8-byte keys and namespaces, records", 8, 8, flat56()),
          shape_of("variable keys, 16-byte namespaces, lists", 0, 16, numbers()),
          shape_of("variable keys, large records", 0, 0, flat2000())};
}

// The bytes of a key or namespace that stands for a number.
inline std::string key_of(const TableSchema& schema, std::uint64_t number) {
  if (!schema.key.is_fixed()) {
    auto text = "key " + std::to_string(number);
    if (number % 3 == 0) text += std::string(number % 50, '-');
    if (number == 1) text.clear();
    return text;
  }
  std::string bytes(schema.key.fixed_bytes, static_cast<char>(number));
  std::memcpy(bytes.data(), &number, std::min<std::size_t>(4, bytes.size()));
  return bytes;
}
inline std::string namespace_of(const TableSchema& schema, std::uint64_t number) {
  std::string bytes(schema.namespace_bytes, 'n');
  const auto window = number % 5;
  if (!bytes.empty()) std::memcpy(bytes.data(), &window, sizeof window);
  return bytes;
}

// Entries of one table: key and namespace, and the serialised value.
using EntryKey = std::pair<std::string, std::string>;
using Content = std::map<EntryKey, Bytes>;

class CutOutput;

// Saved blocks on their way to the I/O side, which is the test.
class BlockQueue {
 public:
  void push(CutOutput& output, StagedBlock block) {
    waiting_.emplace_back(&output, std::move(block));
  }
  // Encodes the oldest `count` blocks; their chunks go back to the pool.
  void drain(std::uint64_t count);
  void drain_all() { drain(waiting_.size()); }

 private:
  std::deque<std::pair<CutOutput*, StagedBlock>> waiting_;
};

// What one cut has saved.
class CutOutput final : public SnapshotOutput {
 public:
  explicit CutOutput(BlockQueue& queue) : queue_(queue) {}
  void take(StagedBlock block) override {
    EXPECT_GT(block.used_bytes, 0u);
    queue_.push(*this, std::move(block));
  }
  std::vector<DenseBlock> blocks;

 private:
  BlockQueue& queue_;
};

inline void BlockQueue::drain(std::uint64_t count) {
  for (; count != 0 && !waiting_.empty(); --count) {
    DenseBlock dense;
    waiting_.front().second.encode(dense);
    waiting_.front().first->blocks.push_back(std::move(dense));
    waiting_.pop_front();
  }
}

class Bell final : public memory::RoomListener {
 public:
  void on_room() noexcept override { ++rung; }
  std::uint64_t rung = 0;
};

struct Options {
  MakeBackend make = nullptr;
  Scale scale{1, 128};
  SubtaskIndex subtask{0};
  memory::StagingPool::Options staging{
      .limit_bytes = std::uint64_t{1} << 20, .chunk_bytes = 16'000, .spare_chunks = 2};
  std::uint64_t heap_bytes_max = std::uint64_t{1} << 30;
  std::uint64_t entry_bytes_max = std::uint64_t{64} << 20;
  bool tracks_changes = false;
};

// One Subtask's keyed backend with its tables.
struct Harness {
  Harness(const Options& with, std::vector<Shape> table_shapes)
      : options(with),
        shapes(std::move(table_shapes)),
        range(key_groups_of(with.subtask, with.scale)),
        account("operator test[0]", "state.heap_bytes_max", with.heap_bytes_max),
        staging(with.staging, pages) {
    auto opened = options.make()->open({.operator_name = "test[0]",
                                        .key_groups = range,
                                        .max_parallelism = options.scale.max_parallelism,
                                        .account = account,
                                        .pages = pages,
                                        .staging = staging,
                                        .on_staging_room = bell,
                                        .entry_bytes_max = options.entry_bytes_max,
                                        .tracks_changes = options.tracks_changes});
    backend = *std::move(opened);
    for (const auto& shape : shapes) tables.push_back(*backend->table(shape.descriptor));
  }
  ~Harness() { queue.drain_all(); }

  KeyedTable& table(std::size_t i) { return *tables[i]; }

  const Options options;
  const std::vector<Shape> shapes;
  const KeyGroupRange range;
  memory::HeapPages pages;
  memory::Account account;
  memory::StagingPool staging;
  Bell bell;
  BlockQueue queue;
  std::unique_ptr<KeyedBackend> backend;
  std::vector<KeyedTable*> tables;
};

// A KeyBlock that owns its bytes.
class Block {
 public:
  explicit Block(const TableSchema& schema) : schema_(schema) {}

  void add(const EntryKey& key) {
    keys_.push_back(key);
    hashes_.push_back(checksum(bytes_of(key.first)));
  }
  void add_number(std::uint64_t number) {
    add({key_of(schema_, number), namespace_of(schema_, number)});
  }
  // Of the keys from `first` on.
  KeyBlock view(std::size_t first = 0) {
    fixed_.clear();
    namespaces_.clear();
    views_.clear();
    for (std::size_t i = first; i != keys_.size(); ++i) {
      fixed_ += keys_[i].first;
      namespaces_ += keys_[i].second;
      views_.push_back(keys_[i].first);
    }
    KeyBlock block{static_cast<std::uint32_t>(keys_.size() - first), hashes_.data() + first};
    if (schema_.key.is_fixed()) {
      block.fixed = bytes_of(fixed_).data();
    } else {
      block.variable = views_.data();
    }
    if (schema_.namespace_bytes != 0) block.namespaces = bytes_of(namespaces_).data();
    return block;
  }
  const std::vector<EntryKey>& keys() const { return keys_; }

 private:
  const TableSchema& schema_;
  std::vector<EntryKey> keys_;
  std::vector<std::uint64_t> hashes_;
  std::string fixed_;
  std::string namespaces_;
  std::vector<std::string_view> views_;
};

}  // namespace weir::state::contract
