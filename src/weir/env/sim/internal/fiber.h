#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace weir::sim {

// A stack of its own for a function that must wait in its middle. Can be used for one function
// after another.
//
// Sanitizers are told of each switch. A function never switches inside a catch handler or while an
// exception unwinds its stack: the language keeps the exceptions in flight per thread, not per
// stack.
//
//   Shape   1 MiB of stack, touched as it is used, with an unmapped page below
//   Thread  all calls on one
class Fiber {
 public:
  Fiber();
  ~Fiber();  // Not while a function is suspended on it.
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs `work` until it suspends or ends. Work that throws ends the process.
  void start(std::function<void()> work);
  // Goes on with what suspended.
  void resume();
  // By the work itself: back to who called start() or resume().
  void suspend();
  // Whether the work has ended (or there has been none).
  bool is_idle() const { return is_idle_; }

 private:
  static void enter(unsigned high, unsigned low);
  void run() noexcept;
  void switch_in();
  void switch_out(bool for_good);

  std::byte* mapping_;
  ucontext_t own_;
  ucontext_t caller_;
  std::function<void()> work_;
  bool is_idle_ = true;
  bool is_quitting_ = false;

  // What the sanitizers keep for us across switches; unused without them.
  [[maybe_unused]] void* caller_fake_stack_ = nullptr;
  [[maybe_unused]] void* own_fake_stack_ = nullptr;
  [[maybe_unused]] const void* caller_stack_ = nullptr;
  [[maybe_unused]] std::size_t caller_stack_bytes_ = 0;
  [[maybe_unused]] void* own_tsan_ = nullptr;
  [[maybe_unused]] void* caller_tsan_ = nullptr;
};

}  // namespace weir::sim
