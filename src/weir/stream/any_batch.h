#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/check.h"
#include "weir/base/time.h"
#include "weir/stream/byte_block.h"
#include "weir/stream/columns.h"

namespace weir::stream {

// How many records a batch holds: enough that what is done once per batch vanishes, few enough that some
// batches of small records stay in the second cache level.
inline constexpr std::uint32_t kBatchRecords = 1024;

// A run of records of one type, unknown here.
//
// Batches are recycled: clear() forgets the records but not their memory, and appending assigns into what is
// there. A batch holds the ByteBlocks that its Text fields point into.
//
//   Shape   records 0 .. size()-1; capacity() is fixed; each optional column is as long as the records
//   Thread  one owner at a time; handing a batch over hands over all of it
class AnyBatch {
 public:
  virtual ~AnyBatch() = default;
  AnyBatch(const AnyBatch&) = delete;
  AnyBatch& operator=(const AnyBatch&) = delete;

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t room() const { return capacity_ - size_; }
  bool is_empty() const { return size_ == 0; }
  bool is_full() const { return size_ == capacity_; }

  Columns columns() const { return columns_; }
  // Null where the edge has no such column.
  EventTime* timestamps() { return timestamps_.get(); }
  const EventTime* timestamps() const { return timestamps_.get(); }
  std::uint64_t* hashes() { return hashes_.get(); }
  const std::uint64_t* hashes() const { return hashes_.get(); }

  void clear() {
    size_ = 0;
    held_.clear();
  }

  // Appends records from .. from+count-1 of this batch, with their columns, to `to`, which has room for them
  // and is of the same type. They are moved: here they are unspecified afterwards, until clear().
  virtual void move_range(std::uint32_t from, std::uint32_t count, AnyBatch& to) = 0;

  // The same by copying: this batch stays as it is.
  virtual void copy_range(std::uint32_t from, std::uint32_t count, AnyBatch& to) const = 0;

  // Moves record i to targets[target_of[i]] for i from `from` on, as long as every record finds room, and
  // returns how many it moved. All targets are of this type.
  virtual std::uint32_t scatter(std::uint32_t from, std::span<const std::uint16_t> target_of,
                                std::span<AnyBatch* const> targets) = 0;

  // Records from .. from+count-1 with their columns: count, columns, records.
  virtual void serialise_range(std::uint32_t from, std::uint32_t count, ByteWriter& out) const = 0;
  // Appends what serialise_range wrote. Text fields point into `bytes_of`, which the batch holds from now on and
  // which `in` reads. False where the bytes are no such run, or do not fit.
  virtual bool deserialise(ByteReader& in, const ByteBlockRef& bytes_of) = 0;

  // An empty batch of the same record type.
  virtual std::unique_ptr<AnyBatch> make_another(Columns columns, std::uint32_t capacity) const = 0;

  // What its records take at least: for limits on memory.
  virtual std::size_t bytes() const = 0;
  // One address per record type.
  virtual const void* type() const = 0;

  // The ByteBlocks that the records' texts point into.
  std::span<const ByteBlockRef> held() const { return held_; }
  void hold(const ByteBlockRef& block) {
    for (const auto& other : held_)
      if (other.get() == block.get()) return;
    held_.push_back(block);
  }
  // Holds what `other` holds: for batches whose records point into the same texts.
  void hold_all_of(const AnyBatch& other) {
    for (const auto& block : other.held_) hold(block);
  }

 protected:
  AnyBatch(Columns columns, std::uint32_t capacity);

  void append_columns_of(const AnyBatch& from, std::uint32_t at, std::uint32_t count);
  void serialise_columns(std::uint32_t from, std::uint32_t count, ByteWriter& out) const;
  bool deserialise_columns(ByteReader& in, std::uint32_t count);

  std::uint32_t size_ = 0;

 private:
  const std::uint32_t capacity_;
  const Columns columns_;
  std::unique_ptr<EventTime[]> timestamps_;
  std::unique_ptr<std::uint64_t[]> hashes_;
  std::vector<ByteBlockRef> held_;
};

using BatchPtr = std::unique_ptr<AnyBatch>;

}  // namespace weir::stream
