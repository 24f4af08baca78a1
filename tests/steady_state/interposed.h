#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

namespace weir::steady {

// This executable replaces the allocation functions and two system calls, so that what the engine does can be counted
// from outside of it.

// By the calling thread: memory taken from operator new, aligned or not.
std::uint64_t allocations_of_this_thread();

// Lets an input file be read chunk by chunk as the test says, and counts what the I/O pool does for the job.
//
//   Shape   a chunk is one read of at least kChunkBytesMin bytes
//   Thread  any; one at a time in a process
class ReadGate {
 public:
  static constexpr std::size_t kChunkBytesMin = 64u << 10;

  explicit ReadGate(const std::string& path);
  ~ReadGate();
  ReadGate(const ReadGate&) = delete;
  ReadGate& operator=(const ReadGate&) = delete;

  // So many chunks more.
  void let_through(std::uint64_t chunks);
  void open();
  // All chunks that may be have been read, and somebody waits for another one.
  bool is_held() const { return is_held_.load(std::memory_order_acquire); }
  std::uint64_t chunks_read() const { return read_.load(std::memory_order_acquire); }
  // Calls of write() for anything but the standard streams.
  std::uint64_t writes() const { return writes_.load(std::memory_order_acquire); }

  // What the replaced calls say.
  void before_read(int fd, std::size_t bytes);
  void after_write(int fd);

 private:
  const std::uint64_t device_;
  const std::uint64_t inode_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t may_read_ = 0;            // guarded by mutex_
  std::atomic<std::uint64_t> read_{0};    // written under mutex_
  std::atomic<bool> is_held_{false};      // written under mutex_
  std::atomic<std::uint64_t> writes_{0};  // no partner: a count
};

}  // namespace weir::steady
