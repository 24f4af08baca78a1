#pragma once

#include <deque>
#include <functional>
#include <string>

#include "weir/env/api/env.h"

namespace weir::test {

// An Env in which nothing happens by itself: time stands still until it is moved, work for the I/O pool waits until the
// test runs it, and so do the letters that come back.
//
//   StepEnv world(files);
//   reader.open(context with world.env() and world.post());
//   reader.read(batch);     // waits
//   world.settle();         // the disk has answered
//   reader.read(batch);
//
//   Thread  one. There is no executor: start() is our bug
class StepEnv final : private env::Clock,
                      private env::Entropy,
                      private env::Executor,
                      private env::IoPool,
                      private env::Console {
 public:
  explicit StepEnv(env::FileSystem& files) : env_{*this, *this, files, *this, *this, *this} {}

  env::Env& env() { return env_; }
  std::function<void(std::function<void()>)> post() {
    return [this](std::function<void()> letter) { letters_.push_back(std::move(letter)); };
  }

  // One piece of work, one letter; false where none waits.
  bool run_io() { return run_first(work_); }
  bool run_letter() { return run_first(letters_); }
  // All of it, and what follows from it.
  void settle() {
    while (run_io() || run_letter()) {
    }
  }
  std::size_t io_waiting() const { return work_.size(); }

  void advance(Duration time) { now_ = now_ + time; }
  const std::string& printed() const { return printed_; }
  void break_console() { is_console_broken_ = true; }

 private:
  template <class Do>
  static bool run_first(std::deque<Do>& queue);

  Instant now() const override { return now_; }
  WallTime wall() const override { return {now_.ns / 1'000'000}; }
  std::uint64_t bits() override { return ++bits_; }
  std::uint32_t thread_count() const override { return 1; }
  env::Waker& start(env::Runnable&, env::Placement) override;
  void submit(Work work) override { work_.push_back(std::move(work)); }
  Status write(std::string_view lines) override;

  env::Env env_;
  std::deque<Work> work_;
  std::deque<std::function<void()>> letters_;
  Instant now_{};
  std::uint64_t bits_ = 0;
  std::string printed_;
  bool is_console_broken_ = false;
};

}  // namespace weir::test
