#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/stream/record_batch.h"

namespace weir::operators {

// Where an operator writes records of one kind. It fills the open batch; the chain takes batches
// away.
//
// An operator asks room() before it reads the next record. What one record puts out beyond the room
// goes to an overflow list of further batches, which has a limit.
//
//   Shape   batches leave in the order they were filled: overflow first, the open one last
//   Units   limit and overflow_bytes() in bytes of batch memory
//   Errors  more than the limit throws ErrorException{kExhausted} through the operator
//   Thread  the Subtask's
class Output {
 public:
  Output(stream::BatchPtr open, std::uint64_t overflow_bytes_max);

  // The batch being filled. It may be full.
  template <class T>
  stream::RecordBatch<T>& open_batch() {
    WEIR_DCHECK(open_->type() == &stream::RecordBatch<T>::kType);
    return static_cast<stream::RecordBatch<T>&>(*open_);
  }
  stream::AnyBatch& any_open() { return *open_; }

  // How many records fit now; 0 means: return and wait to be called again.
  std::uint32_t room() const { return overflow_.empty() ? open_->room() : 0; }
  bool is_empty() const { return overflow_.empty() && open_->is_empty(); }
  std::uint64_t overflow_bytes() const { return overflow_bytes_; }

  // Opens another batch for a record whose outputs do not fit: the full one waits in the overflow
  // list.
  template <class T>
  stream::RecordBatch<T>& overflow() {
    add_overflow();
    return open_batch<T>();
  }

  // Records put out between stamp_with() and stamp() get that timestamp, where the edge has the
  // column.
  void stamp_with(EventTime time) {
    stamp_time_ = time;
    stamped_ = open_->size();
  }
  void stamp() {
    if (open_->timestamps())
      std::fill(open_->timestamps() + stamped_, open_->timestamps() + open_->size(), stamp_time_);
  }

  // Bytes that the texts of records in the open batch may point to: it holds them.
  char* text_room(std::size_t size) {
    if (text_left_ < size) [[unlikely]]
      take_text_block(size);
    open_->hold(text_block_);
    text_left_ -= size;
    return std::exchange(text_at_, text_at_ + size);
  }

  // For the chain: the oldest batch that waits, which stays owned here until take_oldest() or
  // clear_oldest().
  stream::AnyBatch* oldest();
  bool has_overflow() const { return !overflow_.empty(); }
  // Hands the oldest batch out, for an empty one: that is filled next, or kept for later.
  stream::BatchPtr take_oldest(stream::BatchPtr replacement);
  // The oldest batch has been read: empty it and keep it for later.
  void clear_oldest();

 private:
  void add_overflow();
  stream::BatchPtr take_overflow();
  void take_text_block(std::size_t size);

  const std::uint64_t overflow_bytes_max_;
  stream::BatchPtr open_;
  std::vector<stream::BatchPtr> overflow_;  // oldest first; short and rarely used
  std::vector<stream::BatchPtr> spare_;
  std::uint64_t overflow_bytes_ = 0;
  EventTime stamp_time_;
  std::uint32_t stamped_ = 0;                         // records of the open batch that have theirs
  std::shared_ptr<stream::ByteBlockPool> text_pool_;  // made by the first text
  stream::ByteBlockRef text_block_;
  char* text_at_ = nullptr;
  std::size_t text_left_ = 0;
};

// What flat_map and process functions emit into.
//
//   Thread  the Subtask's, during the call that was given it
template <class T>
class Collector {
 public:
  explicit Collector(Output& output) : output_(output), batch_(&output.open_batch<T>()) {}

  // The next record, to be assigned into: its fields hold what an earlier use left there.
  T& append() {
    if (batch_->is_full()) [[unlikely]]
      batch_ = &output_.overflow<T>();
    return batch_->append();
  }
  void emit(const T& record) { append() = record; }
  void emit(T&& record) { append() = std::move(record); }

  // Copies bytes to where a Text field of an emitted record may point to.
  Text intern(std::string_view bytes) {
    auto room = writable(bytes.size());
    std::memcpy(room, bytes.data(), bytes.size());
    return Text(std::string_view(room, bytes.size()));
  }
  // Room for `size` bytes that a Text of an emitted record may point to, to be written before the
  // next call.
  char* writable(std::size_t size) {
    // The record that will point there may need another batch, and that one must hold the bytes.
    if (batch_->is_full()) [[unlikely]]
      batch_ = &output_.overflow<T>();
    return output_.text_room(size);
  }

  Output& output() { return output_; }

 private:
  Output& output_;
  stream::RecordBatch<T>* batch_;
};

}  // namespace weir::operators
