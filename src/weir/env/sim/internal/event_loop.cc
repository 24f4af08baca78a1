#include "weir/env/sim/internal/event_loop.h"

#include <exception>
#include <utility>

#include "weir/base/check.h"

namespace weir::sim {

void EventLoop::post(ProcessId owner, Instant at, std::function<void()> run) {
  WEIR_CHECK(at >= now_);
  events_.emplace(Key{at, ties_.next(), posted_++}, Event{owner, std::move(run)});
}

void EventLoop::run_next() {
  WEIR_CHECK(!is_in_event_);
  auto event = events_.extract(events_.begin());
  now_ = event.key().at;
  is_in_event_ = true;
  event_owner_ = event.mapped().owner;
  event.mapped().run();
  event_owner_ = ProcessId{0};
  is_in_event_ = false;
}

void EventLoop::pass_until(Instant at) {
  WEIR_CHECK(is_empty() || at <= next_at());
  WEIR_CHECK(at >= now_);
  now_ = at;
}

void EventLoop::run_on_fiber(ProcessId owner, std::function<void()> work,
                             std::function<void()> finished) {
  WEIR_CHECK(!current_);
  std::unique_ptr<Fiber> fiber;
  if (spare_.empty()) {
    fiber = std::make_unique<Fiber>();
  } else {
    fiber = std::move(spare_.back());
    spare_.pop_back();
  }
  Fiber& in_use = *fiber;
  const auto errand = begun_++;
  errands_.emplace(errand, Errand{owner, std::move(fiber), std::move(finished)});
  current_ = &in_use;
  current_errand_ = errand;
  in_use.start(std::move(work));
  current_ = nullptr;
  if (in_use.is_idle()) go_on(errand);
}

// Resumes an errand that is suspended, and finishes it when it has ended.
void EventLoop::go_on(std::uint64_t errand) {
  WEIR_CHECK(!current_);
  const auto found = errands_.find(errand);
  WEIR_CHECK(found != errands_.end());
  Fiber& fiber = *found->second.fiber;
  if (!fiber.is_idle()) {
    current_ = &fiber;
    current_errand_ = errand;
    fiber.resume();
    current_ = nullptr;
  }
  if (!fiber.is_idle()) return;
  spare_.push_back(std::move(found->second.fiber));
  const auto finished = std::move(found->second.finished);
  errands_.erase(found);
  finished();
}

void EventLoop::wait(ProcessId owner, Duration span) {
  const bool may_switch = current_ && std::uncaught_exceptions() == 0 && !std::current_exception();
  if (!may_switch) {
    debt_ = debt_ + span;
    return;
  }
  post(owner, now_ + span, [this, errand = current_errand_] { go_on(errand); });
  current_->suspend();
}

void EventLoop::abandon(ProcessId owner) {
  WEIR_CHECK(!current_);
  std::erase_if(events_, [owner](const auto& event) { return event.second.owner == owner; });
  std::vector<std::uint64_t> suspended;
  for (const auto& [number, errand] : errands_)
    if (errand.owner == owner) suspended.push_back(number);
  for (const auto number : suspended) {
    go_on(number);
    WEIR_CHECK(!errands_.contains(number));
  }
}

}  // namespace weir::sim
