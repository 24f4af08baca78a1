#include "weir/memory/staging_pool.h"

#include <algorithm>
#include <cstring>

namespace weir::memory {

StagingChunk::~StagingChunk() {
  if (pool_ != nullptr) pool_->give_back(std::move(pages_), is_sent_);
}

void StagingChunk::send() {
  WEIR_CHECK(!is_sent_);
  is_sent_ = true;
  pool_->count_sent();
}

StagingPool::StagingPool(Options options, PageSource& pages, Submit submit)
    : options_(options), pages_(pages), submit_(std::move(submit)) {
  WEIR_CHECK(options_.chunk_bytes > 0);
  WEIR_CHECK(options_.limit_bytes >= options_.chunk_bytes);
  // A chunk that comes back must not allocate.
  MutexLock lock(mutex_);
  spare_.reserve(options_.limit_bytes / options_.chunk_bytes);
}

StagingPool::~StagingPool() {
  MutexLock lock(mutex_);
  WEIR_CHECK(in_use_ == 0);
}

void StagingPool::prepare(std::uint64_t expected_bytes) {
  if (!submit_) return;
  {
    MutexLock lock(mutex_);
    expected_ = std::max(expected_, expected_bytes);
    if (is_making_ || !wants_more()) return;
    is_making_ = true;
  }
  submit_([this] { make_fresh(); });
}

StagingChunk StagingPool::take(RoomListener& listener, Urgency urgency) {
  Pages pages;
  bool make_more = false;
  {
    MutexLock lock(mutex_);
    if (urgency == Urgency::kCanWait && is_better_left_for_later()) {
      wait(listener);
      return {};
    }
    if (!spare_.empty()) {
      pages = std::move(spare_.back());
      spare_.pop_back();
      take_out(options_.chunk_bytes);
    } else if (!submit_ && has_room_for(options_.chunk_bytes)) {
      pages = Pages(pages_, options_.chunk_bytes);
      if (pages) {
        held_ += options_.chunk_bytes;
        take_out(options_.chunk_bytes);
      }
    }
    if (!pages) wait(listener);
    if (submit_ && !is_making_ && wants_more()) make_more = is_making_ = true;
  }
  if (make_more) submit_([this] { make_fresh(); });
  if (!pages) return {};
  return StagingChunk(*this, std::move(pages));
}

Result<StagingChunk> StagingPool::take_large(std::size_t bytes, RoomListener& listener) {
  if (bytes > options_.limit_bytes) {
    return Error{Code::kExhausted,
                 "staging one entry of a snapshot: checkpoint.staging_bytes_max is " +
                     std::to_string(options_.limit_bytes) + ", the entry has " +
                     std::to_string(bytes) + " bytes; raise it, or keep less under one key"};
  }
  std::vector<Pages> dropped;  // Given back after the lock.
  {
    MutexLock lock(mutex_);
    while (!has_room_for(bytes) && !spare_.empty()) {
      dropped.push_back(std::move(spare_.back()));
      spare_.pop_back();
      held_ -= options_.chunk_bytes;
    }
    if (!has_room_for(bytes)) {
      wait(listener);
      return StagingChunk{};
    }
    held_ += bytes;
    take_out(bytes);
  }
  Pages pages(pages_, bytes);
  if (!pages) {
    MutexLock lock(mutex_);
    held_ -= bytes;
    in_use_ -= bytes;
    return Error{Code::kExhausted,
                 "staging one entry of a snapshot: the machine has no memory, wanted " +
                     std::to_string(bytes) + " bytes"};
  }
  return StagingChunk(*this, std::move(pages));
}

void StagingPool::forget(RoomListener& listener) {
  MutexLock lock(mutex_);
  std::erase(waiting_, &listener);
}

void StagingPool::give_back(Pages pages, bool was_sent) {
  Pages dropped;  // A large chunk is not kept.
  MutexLock lock(mutex_);
  in_use_ -= pages.size();
  if (was_sent) --sent_;
  if (pages.size() == options_.chunk_bytes) {
    spare_.push_back(std::move(pages));
  } else {
    held_ -= pages.size();
    dropped = std::move(pages);
  }
  tell_waiting();
}

// One chunk at a time, so that who waits for the first does not wait for all.
void StagingPool::make_fresh() {
  for (;;) {
    {
      MutexLock lock(mutex_);
      if (!wants_more()) {
        is_making_ = false;
        return;
      }
      held_ += options_.chunk_bytes;
    }
    Pages fresh(pages_, options_.chunk_bytes);
    if (fresh) std::memset(fresh.data(), 0, fresh.size());  // The first touch.
    MutexLock lock(mutex_);
    if (!fresh) {
      held_ -= options_.chunk_bytes;
      is_making_ = false;
      return;
    }
    spare_.push_back(std::move(fresh));
    tell_waiting();
  }
}

bool StagingPool::has_room_for(std::size_t bytes) const {
  return held_ + bytes <= options_.limit_bytes;
}

bool StagingPool::is_better_left_for_later() const {
  const bool leaves_half = in_use_ + options_.chunk_bytes <= options_.limit_bytes / 2;
  return in_use_ != 0 && (!leaves_half || sent_ >= options_.busy_chunks);
}

bool StagingPool::wants_more() const {
  return (spare_.size() < options_.spare_chunks || held_ < expected_) &&
         has_room_for(options_.chunk_bytes);
}

void StagingPool::take_out(std::size_t bytes) {
  in_use_ += bytes;
  peak_in_use_ = std::max(peak_in_use_, in_use_);
}

void StagingPool::wait(RoomListener& listener) {
  if (std::find(waiting_.begin(), waiting_.end(), &listener) == waiting_.end())
    waiting_.push_back(&listener);
}

// Under the lock, so that forget() can promise that nobody is called after it.
void StagingPool::tell_waiting() {
  for (RoomListener* listener : waiting_) listener->on_room();
  waiting_.clear();
}

void StagingPool::count_sent() {
  MutexLock lock(mutex_);
  ++sent_;
}

bool StagingPool::awaits_any() const {
  MutexLock lock(mutex_);
  return sent_ != 0;
}
std::uint64_t StagingPool::in_use_bytes() const {
  MutexLock lock(mutex_);
  return in_use_;
}
std::uint64_t StagingPool::peak_in_use_bytes() const {
  MutexLock lock(mutex_);
  return peak_in_use_;
}
std::uint64_t StagingPool::held_bytes() const {
  MutexLock lock(mutex_);
  return held_;
}

}  // namespace weir::memory
