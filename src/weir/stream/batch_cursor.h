#pragma once

#include "weir/stream/record_batch.h"

namespace weir::stream {

// A place in a batch: what an operator has read of it. The unread rest is input channel state.
//
//   Shape   position() <= size of the batch, which outlives the cursor
//   Thread  the Subtask's
class BatchCursor {
 public:
  BatchCursor() = default;
  explicit BatchCursor(const AnyBatch& batch, std::uint32_t position = 0)
      : batch_(&batch), position_(position) {}

  template <class T>
  const RecordBatch<T>& batch() const {
    WEIR_DCHECK(batch_->type() == &RecordBatch<T>::kType);
    return static_cast<const RecordBatch<T>&>(*batch_);
  }
  const AnyBatch& any() const { return *batch_; }

  std::uint32_t position() const { return position_; }
  std::uint32_t unread() const { return batch_ ? batch_->size() - position_ : 0; }
  bool is_done() const { return unread() == 0; }
  void advance(std::uint32_t count) {
    WEIR_DCHECK(count <= unread());
    position_ += count;
  }

 private:
  const AnyBatch* batch_ = nullptr;
  std::uint32_t position_ = 0;
};

}  // namespace weir::stream
