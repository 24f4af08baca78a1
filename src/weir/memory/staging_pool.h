#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "weir/base/mutex.h"
#include "weir/base/result.h"
#include "weir/memory/page_source.h"

namespace weir::memory {

class StagingPool;

// A piece of memory on its way from a Subtask to the I/O side. It goes back to its pool when it
// ends, on whichever side that is.
class StagingChunk {
 public:
  StagingChunk() = default;
  StagingChunk(StagingChunk&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        pages_(std::move(other.pages_)),
        is_sent_(other.is_sent_) {}
  StagingChunk& operator=(StagingChunk&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(is_sent_, other.is_sent_);
    std::swap(pages_, other.pages_);
    return *this;
  }
  ~StagingChunk();

  // It has been filled and goes to the I/O side, which will give it back. Once.
  void send();

  explicit operator bool() const { return pool_ != nullptr; }
  std::byte* data() const { return static_cast<std::byte*>(pages_.data()); }
  std::size_t size() const { return pages_.size(); }

 private:
  friend class StagingPool;
  StagingChunk(StagingPool& pool, Pages pages) : pool_(&pool), pages_(std::move(pages)) {}

  StagingPool* pool_ = nullptr;
  Pages pages_;
  bool is_sent_ = false;
};

// Told when a pool that had nothing to give may have something again.
//
//   Thread  called from any thread, under the pool's lock: it wakes somebody and returns
class RoomListener {
 public:
  virtual ~RoomListener() = default;
  virtual void on_room() noexcept = 0;
};

// The staging area of all Subtasks of a TaskManager: saved state that is not written yet.
//
// Chunks are recycled. A fresh one is made, and its pages touched for the first time, by the I/O
// side, ahead of the need: when a Subtask takes a chunk and few are left over, the pool submits the
// making of more.
//
//   Units   everything counts whole chunks, full or not
//   Errors  an empty answer means "not now": a listener is told when to ask again
//   Thread  any. One lock per chunk taken or given back
class StagingPool {
 public:
  struct Options {
    std::uint64_t limit_bytes = std::uint64_t{256} << 20;  // checkpoint.staging_bytes_max
    std::size_t chunk_bytes = std::size_t{512} << 10;      // each costs a wake-up of the I/O side
    std::size_t spare_chunks = 8;  // as many are kept ready beside those in use
    std::size_t busy_chunks = 16;  // as many sent ones keep the I/O side busy for a while
  };
  // Hands work to the I/O side; null: whoever needs a chunk makes it.
  using Submit = std::function<void(std::function<void()>)>;

  // All chunks must have come back before the pool ends, and submitted work have ended or never run any more.
  StagingPool(Options options, PageSource& pages, Submit submit = {});
  ~StagingPool();
  StagingPool(const StagingPool&) = delete;
  StagingPool& operator=(const StagingPool&) = delete;

  // A cut begins that may want that much at a time: has fresh chunks made where there are fewer.
  void prepare(std::uint64_t expected_bytes) WEIR_EXCLUDES(mutex_);
  // Who can wait leaves half of the area to who cannot, and adds nothing to what keeps the I/O side
  // busy anyway: some of it may not have to be saved later, because who cannot wait has done so.
  enum class Urgency : unsigned char { kCanWait, kUrgent };
  // An empty chunk, or none: then `listener` is told once when that may have changed.
  StagingChunk take(RoomListener& listener, Urgency urgency = Urgency::kUrgent)
      WEIR_EXCLUDES(mutex_);
  // A chunk of at least `bytes`, for one entry that is larger than chunk_bytes(). It is made at
  // once. kExhausted where it is larger than the whole staging area.
  Result<StagingChunk> take_large(std::size_t bytes, RoomListener& listener) WEIR_EXCLUDES(mutex_);
  // The listener is not called any more once this has returned.
  void forget(RoomListener& listener) WEIR_EXCLUDES(mutex_);

  std::size_t chunk_bytes() const { return options_.chunk_bytes; }
  std::uint64_t limit_bytes() const { return options_.limit_bytes; }
  std::uint64_t in_use_bytes() const WEIR_EXCLUDES(mutex_);
  // Some chunks have been sent and will come back. Where nothing has been, who waits for room waits for ever unless
  // those who fill chunks send them half-filled.
  bool awaits_any() const WEIR_EXCLUDES(mutex_);
  std::uint64_t peak_in_use_bytes() const WEIR_EXCLUDES(mutex_);
  // In use and spare together: never above limit_bytes().
  std::uint64_t held_bytes() const WEIR_EXCLUDES(mutex_);

 private:
  friend class StagingChunk;

  void give_back(Pages pages, bool was_sent) WEIR_EXCLUDES(mutex_);
  void count_sent() WEIR_EXCLUDES(mutex_);
  void make_fresh() WEIR_EXCLUDES(mutex_);
  bool has_room_for(std::size_t bytes) const WEIR_REQUIRES(mutex_);
  bool is_better_left_for_later() const WEIR_REQUIRES(mutex_);
  bool wants_more() const WEIR_REQUIRES(mutex_);
  void take_out(std::size_t bytes) WEIR_REQUIRES(mutex_);
  void wait(RoomListener& listener) WEIR_REQUIRES(mutex_);
  void tell_waiting() WEIR_REQUIRES(mutex_);

  const Options options_;
  PageSource& pages_;
  const Submit submit_;

  mutable Mutex mutex_;
  std::vector<Pages> spare_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t held_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t expected_ WEIR_GUARDED_BY(mutex_) = 0;  // by whoever expects most
  std::uint64_t in_use_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t peak_in_use_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t sent_ WEIR_GUARDED_BY(mutex_) = 0;
  bool is_making_ WEIR_GUARDED_BY(mutex_) = false;
  std::vector<RoomListener*> waiting_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::memory
