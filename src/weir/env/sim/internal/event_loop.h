#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "weir/base/id.h"
#include "weir/base/random.h"
#include "weir/base/time.h"
#include "weir/env/sim/internal/fiber.h"
#include "weir/env/sim/io_call.h"

namespace weir::sim {

// Simulated time and what is to happen in it.
//
// Events happen in order of time; among those of one time the order is drawn. What must wait in its
// middle runs on a fiber: wait() suspends it and lets others run.
//
//   Thread  one
class EventLoop {
 public:
  explicit EventLoop(Random ties) : ties_(ties) {}

  const Instant& now() const { return now_; }
  // `owner` may be abandoned, and the event with it.
  void post(ProcessId owner, Instant at, std::function<void()> run);
  bool is_empty() const { return events_.empty(); }
  Instant next_at() const { return events_.begin()->first.at; }
  // The next event, which there must be.
  void run_next();
  // Lets time pass until `at`, which must not be beyond the next event.
  void pass_until(Instant at);

  // Runs `work` now, on a fiber, and `finished` when it has ended. Not from a fiber.
  void run_on_fiber(ProcessId owner, std::function<void()> work, std::function<void()> finished);
  // On a fiber: suspends it for so long. Elsewhere, and while an exception is being handled:
  // returns at once and adds the span to the debt of who runs.
  void wait(ProcessId owner, Duration span);
  // What wait() could not do since the last call.
  Duration take_debt() { return std::exchange(debt_, Duration{0}); }
  bool is_on_fiber() const { return current_ != nullptr; }
  // Whether a fiber or an event of a Process is running, in whose middle nothing may be abandoned.
  bool is_busy() const { return current_ || event_owner_ != ProcessId{0}; }

  // Forgets the events of `owner` and resumes its suspended fibers, which must end without waiting
  // again. Not from a fiber.
  void abandon(ProcessId owner);

 private:
  struct Key {
    Instant at;
    std::uint64_t tie;     // Drawn.
    std::uint64_t number;  // Should two draws agree.
    friend constexpr auto operator<=>(const Key&, const Key&) = default;
  };
  struct Event {
    ProcessId owner;
    std::function<void()> run;
  };
  // A fiber in use.
  struct Errand {
    ProcessId owner;
    std::unique_ptr<Fiber> fiber;
    std::function<void()> finished;
  };

  void go_on(std::uint64_t errand);

  Random ties_;
  Instant now_{};
  std::uint64_t posted_ = 0;
  std::map<Key, Event> events_;
  std::map<std::uint64_t, Errand> errands_;  // By the order in which they began.
  std::uint64_t begun_ = 0;
  std::vector<std::unique_ptr<Fiber>> spare_;
  Fiber* current_ = nullptr;
  std::uint64_t current_errand_ = 0;
  Duration debt_{0};
  bool is_in_event_ = false;
  ProcessId event_owner_{0};
};

}  // namespace weir::sim
