#pragma once

#include <set>
#include <string>
#include <vector>

#include "weir/state/api/backend_contract_world.h"

namespace weir::state::contract {

// A table and a std::map that lives through the same.
class Twin {
 public:
  Twin(Harness& world, std::size_t table, std::uint64_t seed)
      : world_(world), shape_(world.shapes[table]), table_(world.table(table)), random_(seed) {}

  const Content& state() const { return state_; }
  // The table holds what of this content is of the Subtask's own key groups.
  void start_from(const Content& content) {
    for (const auto& entry : content)
      if (is_own(entry.first)) state_.insert(entry);
  }

  void put(std::uint64_t key, std::uint64_t value) { write_all({entry_key(5 * key)}, value); }
  void put_text(const std::string& key, const std::string& value) {
    Block block(shape_.descriptor.schema);
    block.add({key, {}});
    void* place = nullptr;
    std::uint64_t is_new = 0;
    ASSERT_EQ(table_.open_to_write(block.view(), &place, is_new), 1u);
    *static_cast<std::string*>(place) = value;
    state_[{key, {}}] = serialised(place);
  }
  void remove(std::uint64_t key) {
    Block block(shape_.descriptor.schema);
    block.add(entry_key(5 * key));
    void* place = nullptr;
    std::uint64_t is_new = 0;
    ASSERT_EQ(table_.open(block.view(), &place, is_new), 1u);
    table_.close(block.view(), 1, 0, 1);
    state_.erase(entry_key(5 * key));
  }

  // Writes, reads, inserts and erases some keys; where the staging area is full, the I/O side gets its turn.
  void random_block() { random_block(true); }
  // False where the staging area was full, with part of the block done.
  bool try_random_block() { return random_block(false); }
  // Why it could not be done.
  Status try_random_put() {
    Block block(shape_.descriptor.schema);
    block.add(random_key(1'000'000));
    void* place = nullptr;
    std::uint64_t is_new = 0;
    if (table_.open_to_write(block.view(), &place, is_new) != 1) return table_.error();
    shape_.kind.write(place, random_.below(1000));
    state_[block.keys()[0]] = serialised(place);
    return ok();
  }

  void erase_everything() {
    for (;;) {
      const KeyBlock first = table_.first_entries();
      if (first.count == 0) break;
      void* places[kKeyBlock];
      std::uint64_t is_new = 0;
      const auto n = table_.open(first, places, is_new);
      EXPECT_EQ(is_new, 0u);
      table_.close(first, n, 0, ~std::uint64_t{0});
      if (n != first.count) world_.queue.drain(1);
    }
    state_.clear();
    EXPECT_EQ(table_.entry_count(), 0u);
  }

  void compare_by_find() {
    EXPECT_EQ(table_.entry_count(), state_.size());
    auto entry = state_.begin();
    while (entry != state_.end()) {
      Block block(shape_.descriptor.schema);
      std::vector<const Bytes*> wanted;
      for (; entry != state_.end() && block.keys().size() + 1 < kKeyBlock; ++entry) {
        block.add(entry->first);
        wanted.push_back(&entry->second);
        if (random_.one_in(8)) {
          const auto key = random_key(10'000'000);
          const auto other = state_.find(key);
          block.add(key);
          wanted.push_back(other == state_.end() ? nullptr : &other->second);
        }
      }
      const void* places[kKeyBlock];
      table_.find(block.view(), places);
      for (std::size_t i = 0; i != wanted.size(); ++i) {
        ASSERT_EQ(places[i] == nullptr, wanted[i] == nullptr);
        if (wanted[i] != nullptr) {
          ASSERT_EQ(serialised(places[i]), *wanted[i]);
        }
      }
    }
  }

 private:
  EntryKey entry_key(std::uint64_t number) const {
    const auto& schema = shape_.descriptor.schema;
    return {key_of(schema, number / 5),
            namespace_of(schema, schema.namespace_bytes == 0 ? 0 : number)};
  }
  bool is_own(const EntryKey& key) const {
    return world_.range.contains(
        key_group_of(checksum(bytes_of(key.first)), world_.options.scale.max_parallelism));
  }
  EntryKey random_key(std::uint64_t below) {
    for (;;) {
      auto key =
          entry_key(random_.below(below) * (shape_.descriptor.schema.namespace_bytes == 0 ? 5 : 1));
      if (is_own(key)) return key;
    }
  }
  Bytes serialised(const void* place) const {
    Bytes bytes;
    ByteWriter writer(bytes);
    shape_.kind.type.write(place, writer);
    return bytes;
  }
  void expect_as_before(const EntryKey& key, const void* place, bool is_new) const {
    const auto before = state_.find(key);
    ASSERT_EQ(is_new, before == state_.end());
    if (!is_new) {
      ASSERT_EQ(serialised(place), before->second);
    }
  }

  bool random_block(bool drains) {
    // The table grows and shrinks in long waves.
    ++blocks_;
    const bool is_growing = blocks_ / 60 % 2 == 0;
    std::vector<EntryKey> keys;
    for (auto n = 1 + random_.below(kKeyBlock); n != 0; --n)
      keys.push_back(random_key(is_growing ? 5'000 : 2'500));
    if (random_.one_in(3) || (is_growing && random_.one_in(2))) return write_all(keys, {}, drains);
    std::set<EntryKey> distinct(keys.begin(), keys.end());
    return change_some({distinct.begin(), distinct.end()}, is_growing ? 2 : 6, drains);
  }

  bool write_all(const std::vector<EntryKey>& keys, std::optional<std::uint64_t> value,
                 bool drains = true) {
    Block block(shape_.descriptor.schema);
    for (const auto& key : keys) block.add(key);
    for (std::size_t done = 0; done != keys.size();) {
      std::vector<void*> places(kKeyBlock);
      std::uint64_t is_new = 0;
      const auto n = table_.open_to_write(block.view(done), places.data(), is_new);
      std::set<EntryKey> fresh;  // of this block
      for (std::uint32_t i = 0; i != n; ++i) {
        const auto& key = keys[done + i];
        const auto before = state_.find(key);
        const bool is_first = before == state_.end() || fresh.count(key) != 0;
        EXPECT_EQ((is_new >> i & 1) != 0, is_first);
        if (is_first) {
          fresh.insert(key);
        } else {
          EXPECT_EQ(serialised(places[i]), before->second);
        }
        shape_.kind.write(places[i], value ? *value : random_.below(1000));
        state_[key] = serialised(places[i]);
      }
      done += n;
      if (done == keys.size()) break;
      EXPECT_TRUE(table_.error());
      if (!drains) return false;
      world_.queue.drain(1);
    }
    return true;
  }

  // Each key is left, written or erased; the latter `erased_of_ten` times out of ten.
  bool change_some(const std::vector<EntryKey>& keys, std::uint64_t erased_of_ten, bool drains) {
    Block block(shape_.descriptor.schema);
    for (const auto& key : keys) block.add(key);
    for (std::size_t done = 0; done != keys.size();) {
      std::vector<void*> places(kKeyBlock);
      std::uint64_t is_new = 0, written = 0, absent = 0;
      const auto n = table_.open(block.view(done), places.data(), is_new);
      for (std::uint32_t i = 0; i != n; ++i) {
        const auto& key = keys[done + i];
        const bool is_first = (is_new >> i & 1) != 0;
        expect_as_before(key, places[i], is_first);
        const auto bit = std::uint64_t{1} << i;
        const auto draw = random_.below(10);
        if (draw < erased_of_ten || (is_first && draw == 9)) {
          absent |= bit;
          state_.erase(key);
        } else if (draw < 9) {
          shape_.kind.write(places[i], random_.below(1000));
          written |= bit;
          state_[key] = serialised(places[i]);
        }
      }
      table_.close(block.view(done), n, written, absent);
      done += n;
      if (done == keys.size()) break;
      EXPECT_TRUE(table_.error());
      if (!drains) return false;
      world_.queue.drain(1);
    }
    return true;
  }

  Harness& world_;
  const Shape& shape_;
  KeyedTable& table_;
  Random random_;
  std::uint64_t blocks_ = 0;
  Content state_;
};

// One twin per table.
class Twins {
 public:
  Twins(Harness& world, std::uint64_t seed) : random_(seed) {
    for (std::size_t i = 0; i != world.tables.size(); ++i)
      twins_.emplace_back(world, i, random_.next());
  }
  Twin& operator[](std::size_t i) { return twins_[i]; }
  Twin& any() { return twins_[random_.below(twins_.size())]; }
  std::vector<Twin>& all() { return twins_; }
  std::vector<Content> content() const {
    std::vector<Content> all;
    for (const auto& twin : twins_) all.push_back(twin.state());
    return all;
  }
  void compare_by_find() {
    for (auto& twin : twins_) twin.compare_by_find();
  }

 private:
  Random random_;
  std::vector<Twin> twins_;
};

}  // namespace weir::state::contract
