#include "tests/steady_state/interposed.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <tuple>

namespace weir::steady {
namespace {

thread_local std::uint64_t allocations = 0;
std::atomic<ReadGate*> gate{nullptr};  // written while no engine runs

struct stat info_of(const std::string& path) {
  struct stat info {};
  std::ignore = ::stat(path.c_str(), &info);
  return info;
}

void* allocated(void* memory) {
  ++allocations;
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::uint64_t allocations_of_this_thread() { return allocations; }

ReadGate::ReadGate(const std::string& path)
    : device_(info_of(path).st_dev), inode_(info_of(path).st_ino) {
  gate.store(this);
}

ReadGate::~ReadGate() { gate.store(nullptr); }

void ReadGate::let_through(std::uint64_t chunks) {
  std::lock_guard lock(mutex_);
  may_read_ = read_.load() + chunks;
  is_held_.store(false, std::memory_order_release);
  changed_.notify_all();
}

void ReadGate::open() { let_through(std::numeric_limits<std::uint32_t>::max()); }

void ReadGate::before_read(int fd, std::size_t bytes) {
  struct stat info {};
  if (bytes < kChunkBytesMin || ::fstat(fd, &info) != 0) return;
  if (info.st_dev != device_ || info.st_ino != inode_) return;
  std::unique_lock lock(mutex_);
  while (read_.load() >= may_read_) {
    is_held_.store(true, std::memory_order_release);
    changed_.wait(lock);
  }
  read_.fetch_add(1, std::memory_order_release);
}

void ReadGate::after_write(int fd) {
  if (fd > STDERR_FILENO) writes_.fetch_add(1, std::memory_order_release);
}

}  // namespace weir::steady

void* operator new(std::size_t size) { return weir::steady::allocated(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return weir::steady::allocated(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" ssize_t pread(int fd, void* into, std::size_t size, off_t offset) {
  if (auto* gate = weir::steady::gate.load()) gate->before_read(fd, size);
  return syscall(SYS_pread64, fd, into, size, offset);
}

extern "C" ssize_t write(int fd, const void* bytes, std::size_t size) {
  const auto written = syscall(SYS_write, fd, bytes, size);
  if (auto* gate = weir::steady::gate.load()) gate->after_write(fd);
  return written;
}
