#include "weir/env/sim/internal/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "weir/base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define WEIR_ASAN_ 1
#endif
#if defined(__SANITIZE_THREAD__)
#define WEIR_TSAN_ 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEIR_ASAN_ 1
#endif
#if __has_feature(thread_sanitizer)
#define WEIR_TSAN_ 1
#endif
#endif
#if WEIR_ASAN_
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if WEIR_TSAN_
#include <sanitizer/tsan_interface.h>
#endif

namespace weir::sim {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStackBytes = 1 << 20;

}  // namespace

Fiber::Fiber() {
  void* mapping = mmap(nullptr, kPage + kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  WEIR_CHECK(mapping != MAP_FAILED);
  mapping_ = static_cast<std::byte*>(mapping);
  WEIR_CHECK(mprotect(mapping_, kPage, PROT_NONE) == 0);
  WEIR_CHECK(getcontext(&own_) == 0);
  own_.uc_stack.ss_sp = mapping_ + kPage;
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
#if WEIR_TSAN_
  own_tsan_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  WEIR_CHECK(is_idle_);
  is_quitting_ = true;
  switch_in();
#if WEIR_TSAN_
  __tsan_destroy_fiber(own_tsan_);
#endif
#if WEIR_ASAN_
  __asan_unpoison_memory_region(mapping_ + kPage, kStackBytes);
#endif
  munmap(mapping_, kPage + kStackBytes);
}

void Fiber::start(std::function<void()> work) {
  WEIR_CHECK(is_idle_);
  work_ = std::move(work);
  is_idle_ = false;
  switch_in();
}

void Fiber::resume() {
  WEIR_CHECK(!is_idle_);
  switch_in();
}

void Fiber::suspend() { switch_out(false); }

// makecontext passes ints only: the pointer comes in two halves.
void Fiber::enter(unsigned high, unsigned low) {
  const std::uint64_t halves = std::uint64_t{high} << 32 | low;
  Fiber* fiber = nullptr;
  std::memcpy(&fiber, &halves, sizeof halves);
  fiber->run();
}

void Fiber::run() noexcept {
#if WEIR_ASAN_
  __sanitizer_finish_switch_fiber(nullptr, &caller_stack_, &caller_stack_bytes_);
#endif
  while (!is_quitting_) {
    work_();
    work_ = nullptr;
    is_idle_ = true;
    switch_out(false);
  }
  switch_out(true);
}

void Fiber::switch_in() {
#if WEIR_ASAN_
  __sanitizer_start_switch_fiber(&caller_fake_stack_, mapping_ + kPage, kStackBytes);
#endif
#if WEIR_TSAN_
  caller_tsan_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_tsan_, 0);
#endif
  swapcontext(&caller_, &own_);
#if WEIR_ASAN_
  __sanitizer_finish_switch_fiber(caller_fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::switch_out([[maybe_unused]] bool for_good) {
#if WEIR_ASAN_
  __sanitizer_start_switch_fiber(for_good ? nullptr : &own_fake_stack_, caller_stack_,
                                 caller_stack_bytes_);
#endif
#if WEIR_TSAN_
  __tsan_switch_to_fiber(caller_tsan_, 0);
#endif
  swapcontext(&own_, &caller_);
#if WEIR_ASAN_
  __sanitizer_finish_switch_fiber(own_fake_stack_, &caller_stack_, &caller_stack_bytes_);
#endif
}

}  // namespace weir::sim
