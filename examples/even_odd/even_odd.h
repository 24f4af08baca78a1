#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/even_odd/gated_numbers.h"
#include "weir/weir.h"

namespace examples {

// What happened, in words: "restored offset 5", "sum_even is 20".
//
//   Thread  any
class Diary {
 public:
  void write(std::string line) {
    weir::MutexLock lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines() const {
    weir::MutexLock lock(mutex_);
    return lines_;
  }

 private:
  mutable weir::Mutex mutex_;
  std::vector<std::string> lines_ WEIR_GUARDED_BY(mutex_);
};

inline const char* name_of(bool is_odd) { return is_odd ? "sum_odd" : "sum_even"; }

// Sums the even and the odd numbers apart, and says what it finds when it begins with a sum that is there already.
struct SumParity {
  using Output = std::string;
  struct State {
    weir::ValueState<int> sum{"sum"};
  };
  void process(const int& number, State& state, weir::Collector<std::string>&) {
    const bool is_odd = number % 2 != 0;
    if (!has_begun[is_odd]) {
      has_begun[is_odd] = true;
      if (const int* restored = state.sum.get())
        diary->write(std::string("restored ") + name_of(is_odd) + " " + std::to_string(*restored));
    }
    state.sum.update() += number;
  }
  void on_end(const bool& is_odd, State& state, weir::Collector<std::string>& out) {
    out.emit(std::string(name_of(is_odd)) + " is " + std::to_string(state.sum.get_or(0)));
  }

  std::shared_ptr<Diary> diary;
  bool has_begun[2] = {false,
                       false};  // since this attempt began; for the diary alone, so it is no state
};

using Trigger = std::function<void(std::function<void(weir::Result<weir::CheckpointId>)>)>;

// Opens the gate when a checkpoint is complete. It is refused while some task is still being opened.
inline void trigger_until_complete(const Trigger& trigger, const std::shared_ptr<Gate>& gate) {
  trigger([trigger, gate](const weir::Result<weir::CheckpointId>& completed) {
    if (completed) {
      gate->open();
    } else {
      trigger_until_complete(trigger, gate);
    }
  });
}

// The numbers 1 .. 9, a checkpoint behind 5 and a failure at 7, once. Lines "sum_even is 20" and "sum_odd is 25" come out.
//
// The gate in the source keeps 6 back until the checkpoint that is asked for at that moment is complete.
inline weir::JobResult even_odd(weir::Environment& env, const std::shared_ptr<Diary>& diary,
                                std::shared_ptr<const weir::connectors::Sink<std::string>> sink) {
  const auto gate = std::make_shared<Gate>(5);
  const auto source = std::make_shared<const GatedNumbers>(9, gate, [diary](int offset) {
    if (offset != 0) diary->write("restored offset " + std::to_string(offset));
  });
  const auto has_failed = std::make_shared<std::atomic<bool>>(false);
  env.from_source(source)
      .uid("numbers")
      .map([has_failed, diary](const int& number) {
        if (number == 7 && !has_failed->exchange(true)) {
          diary->write("failed at 7");
          throw std::runtime_error("seven");
        }
        return number;
      })
      .key_by([](const int& number) { return number % 2 != 0; })
      .process(SumParity{.diary = diary})
      .uid("sums")
      .sink_to(std::move(sink));
  env.on_running([gate](const weir::Environment::Control& control) {
    const auto trigger = control.trigger_checkpoint;
    gate->on_reached([trigger, gate] { trigger_until_complete(trigger, gate); });
  });
  // No checkpoint but the one that is asked for, and the last.
  env.enable_checkpointing(weir::Duration::seconds(3600));
  env.set_default("restart-strategy.fixed-delay.delay", "1 ms");
  return env.execute("even_odd");
}

}  // namespace examples
