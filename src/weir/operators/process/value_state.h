#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "weir/state/api/key_block.h"
#include "weir/state/api/keyed_table.h"

namespace weir::operators {

template <class Function, class In, class Selector>
class KeyedProcess;

// One value of a key, declared as a field of a process function's State under a name that is its
// own within the operator. It speaks of the key of the record at hand.
//
//   Thread  the Subtask's, inside the function's calls
template <class T>
class ValueState {
 public:
  using Value = T;

  explicit ValueState(std::string name) : name_(std::move(name)) {}

  bool has_value() const { return (present_ >> at_ & 1) != 0; }
  // Null where the key has no value.
  const T* get() const { return has_value() ? place() : nullptr; }
  // A copy, or `otherwise` where the key has no value.
  T get_or(T otherwise) const { return has_value() ? *place() : std::move(otherwise); }
  // The value to be changed in place; a key without one gets T{} first.
  T& update() {
    written_ |= std::uint64_t{1} << at_;
    if (!has_value()) set_present(true);
    return *place();
  }
  void set(T value) { update() = std::move(value); }
  // The key has no value any more.
  void clear() {
    if (!has_value()) return;
    *place() = T{};
    written_ |= std::uint64_t{1} << at_;
    set_present(false);
  }

  const std::string& name() const { return name_; }

 private:
  template <class Function, class In, class Selector>
  friend class KeyedProcess;

  T* place() const { return static_cast<T*>(places_[at_]); }

  // The keys of a block that are equal share one place and must agree on whether there is a value.
  void set_present(bool present) {
    for (std::uint32_t j = 0; j != count_; ++j) {
      if (places_[j] != places_[at_]) continue;
      present_ = present ? present_ | std::uint64_t{1} << j : present_ & ~(std::uint64_t{1} << j);
    }
  }

  // How many of the block's keys have a place now.
  std::uint32_t open(const state::KeyBlock& block) {
    std::uint64_t is_new = 0;
    count_ = table_->open(block, places_.data(), is_new);
    present_ = ~is_new;
    written_ = 0;
    return count_;
  }
  void close(const state::KeyBlock& block) { table_->close(block, count_, written_, ~present_); }

  std::string name_;
  state::KeyedTable* table_ = nullptr;
  std::uint32_t at_ = 0;     // which key of the block is at hand
  std::uint32_t count_ = 0;  // keys that have a place
  std::uint64_t present_ = 0;
  std::uint64_t written_ = 0;
  std::array<void*, state::kKeyBlock> places_{};
};

}  // namespace weir::operators
