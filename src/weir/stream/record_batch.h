#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "weir/stream/any_batch.h"
#include "weir/types/serializer.h"
#include "weir/types/text.h"

namespace weir::stream {

// A batch of records of type T in one array.
//
//   Shape   records 0 .. size()-1; a column that the edge has is as long as the array
//   Errors  appending to a full batch, or a range that is not there, is our bug
//   Thread  whose it is at the moment: one at a time
template <class T>
class RecordBatch final : public AnyBatch {
 public:
  explicit RecordBatch(Columns columns = {}, std::uint32_t capacity = kBatchRecords)
      : AnyBatch(columns, capacity), records_(new T[capacity]{}) {}

  const T& operator[](std::uint32_t i) const { return records_[i]; }
  T& operator[](std::uint32_t i) { return records_[i]; }
  const T* data() const { return records_.get(); }
  T* data() { return records_.get(); }

  // The next record, to be assigned into: it holds what an earlier use of the batch left there.
  T& append() {
    WEIR_DCHECK(!is_full());
    return records_[size_++];
  }
  // Claims `count` records that were written in place behind the last one.
  void grow(std::uint32_t count) {
    WEIR_DCHECK(count <= room());
    size_ += count;
  }
  // The timestamps of the last `count` records of this batch become those of `from`'s records from `at` on,
  // where both have that column.
  void take_timestamps(const AnyBatch& from, std::uint32_t at, std::uint32_t count) {
    if (timestamps() && from.timestamps())
      std::copy_n(from.timestamps() + at, count, timestamps() + size_ - count);
  }

  void move_range(std::uint32_t from, std::uint32_t count, AnyBatch& to) override {
    auto& other = of(to);
    WEIR_DCHECK(count <= other.room());
    other.append_columns_of(*this, from, count);
    for (std::uint32_t i = 0; i != count; ++i)
      hand_over(records_[from + i], other.records_[other.size_ + i]);
    other.size_ += count;
    if constexpr (kHasText<T>) other.hold_all_of(*this);
  }

  void copy_range(std::uint32_t from, std::uint32_t count, AnyBatch& to) const override {
    auto& other = of(to);
    WEIR_DCHECK(count <= other.room());
    other.append_columns_of(*this, from, count);
    std::copy_n(records_.get() + from, count, other.records_.get() + other.size_);
    other.size_ += count;
    if constexpr (kHasText<T>) other.hold_all_of(*this);
  }

  std::uint32_t scatter(std::uint32_t from, std::span<const std::uint16_t> target_of,
                        std::span<AnyBatch* const> targets) override {
    if constexpr (kHasText<T>)
      for (AnyBatch* target : targets) target->hold_all_of(*this);
    if (targets.size() == 2 && !columns().timestamps && std::is_trivially_copyable_v<T>)
      return scatter_in_two(from, target_of.data(), of(*targets[0]), of(*targets[1]));
    std::uint32_t moved = 0;
    for (; from + moved != size_; ++moved) {
      auto& target = of(*targets[target_of[from + moved]]);
      if (target.is_full()) break;
      target.append_columns_of(*this, from + moved, 1);
      hand_over(records_[from + moved], target.records_[target.size_]);
      ++target.size_;
    }
    return moved;
  }

  void serialise_range(std::uint32_t from, std::uint32_t count, ByteWriter& out) const override {
    out.leb128(count);
    serialise_columns(from, count, out);
    for (std::uint32_t i = 0; i != count; ++i) Serializer<T>::write(out, records_[from + i]);
  }

  bool deserialise(ByteReader& in, const ByteBlockRef& bytes_of) override {
    const auto count = in.leb128();
    if (!in.ok() || count > room()) return false;
    const auto n = static_cast<std::uint32_t>(count);
    if (!deserialise_columns(in, n)) return false;
    for (std::uint32_t i = 0; i != n; ++i)
      if (!Serializer<T>::read(in, records_[size_ + i])) return false;
    size_ += n;
    if constexpr (kHasText<T>) hold(bytes_of);
    return true;
  }

  std::unique_ptr<AnyBatch> make_another(Columns columns, std::uint32_t capacity) const override {
    return std::make_unique<RecordBatch>(columns, capacity);
  }

  std::size_t bytes() const override {
    return capacity() * (sizeof(T) + (columns().timestamps ? 8 : 0) + (columns().hashes ? 8 : 0));
  }
  const void* type() const override { return &kType; }
  static constexpr char kType = 0;

 private:
  static RecordBatch& of(AnyBatch& batch) {
    WEIR_DCHECK(batch.type() == &kType);
    return static_cast<RecordBatch&>(batch);
  }

  // Swapping what owns memory leaves the capacity of the old record to the next writer.
  static void hand_over(T& from, T& to) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      to = from;
    } else {
      std::swap(from, to);
    }
  }

  // The usual case of a key_by between two Subtasks, without a branch per record: as many as are sure to find
  // room in either target, then again.
  std::uint32_t scatter_in_two(std::uint32_t from, const std::uint16_t* target_of,
                               RecordBatch& first, RecordBatch& second) {
    std::array<T*, 2> records{first.records_.get(), second.records_.get()};
    std::array<std::uint64_t*, 2> hashes{first.hashes(), second.hashes()};
    std::array<std::uint32_t, 2> at{first.size_, second.size_};
    const std::uint64_t* hash =
        columns().hashes && hashes[0] && hashes[1] ? this->hashes() : nullptr;
    std::uint32_t i = from;
    for (;;) {
      const auto sure = std::min({first.capacity() - at[0], second.capacity() - at[1], size_ - i});
      if (sure == 0) break;
      const auto end = i + sure;
      if (hash) {
        for (; i != end; ++i) {
          const auto target = target_of[i];
          const auto place = at[target]++;
          records[target][place] = records_[i];
          hashes[target][place] = hash[i];
        }
      } else {
        for (; i != end; ++i) {
          const auto target = target_of[i];
          records[target][at[target]++] = records_[i];
        }
      }
    }
    // One of the two may be full while the other still takes records.
    for (; i != size_; ++i) {
      const auto target = target_of[i];
      if (at[target] == (target == 0 ? first : second).capacity()) break;
      const auto place = at[target]++;
      records[target][place] = records_[i];
      if (hash) hashes[target][place] = hash[i];
    }
    first.size_ = at[0];
    second.size_ = at[1];
    return i - from;
  }

  std::unique_ptr<T[]> records_;
};

}  // namespace weir::stream
