#include "weir/operators/api/output.h"

#include "weir/base/error_exception.h"

namespace weir::operators {
namespace {
constexpr std::size_t kTextBlockBytes = 64u << 10;
}

Output::Output(stream::BatchPtr open, std::uint64_t overflow_bytes_max)
    : overflow_bytes_max_(overflow_bytes_max), open_(std::move(open)) {}

void Output::add_overflow() {
  overflow_bytes_ += open_->bytes();
  if (overflow_bytes_ > overflow_bytes_max_) {
    throw ErrorException{
        {Code::kExhausted,
         "emitting the outputs of one record: they exceed the limit task.overflow-bytes-max of " +
             std::to_string(overflow_bytes_max_) +
             " bytes; raise it, or emit less for one record"}};
  }
  stamp();
  stamped_ = 0;
  stream::BatchPtr next;
  if (spare_.empty()) {
    next = open_->make_another(open_->columns(), open_->capacity());
  } else {
    next = std::move(spare_.back());
    spare_.pop_back();
  }
  next->hold_all_of(*open_);
  overflow_.push_back(std::exchange(open_, std::move(next)));
}

void Output::take_text_block(std::size_t size) {
  if (!text_pool_) text_pool_ = stream::ByteBlockPool::make(kTextBlockBytes);
  text_block_ = text_pool_->take(size);
  text_at_ = reinterpret_cast<char*>(text_block_->bytes().data());
  text_left_ = text_block_->capacity();
}

stream::AnyBatch* Output::oldest() {
  if (!overflow_.empty()) return overflow_.front().get();
  return open_->is_empty() ? nullptr : open_.get();
}

stream::BatchPtr Output::take_oldest(stream::BatchPtr replacement) {
  WEIR_DCHECK(replacement && replacement->is_empty());
  if (overflow_.empty()) return std::exchange(open_, std::move(replacement));
  spare_.push_back(std::move(replacement));
  return take_overflow();
}

stream::BatchPtr Output::take_overflow() {
  auto batch = std::move(overflow_.front());
  overflow_.erase(overflow_.begin());
  overflow_bytes_ -= batch->bytes();
  return batch;
}

void Output::clear_oldest() {
  if (overflow_.empty()) {
    open_->clear();
    return;
  }
  auto batch = take_overflow();
  batch->clear();
  spare_.push_back(std::move(batch));
}

}  // namespace weir::operators
