#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weir/env/api/executor.h"
#include "weir/env/sim/internal/machine.h"

namespace weir::sim {

// Virtual threads over simulated time. Each steps one Runnable at a time and is busy for the drawn
// cost of the step; which of the ready ones is next is drawn. A thread of its own steps on a fiber,
// so that it may wait in file calls.
class SimExecutor final : public env::Executor {
 public:
  SimExecutor(Life& life, Random random);
  ~SimExecutor() override;

  std::uint32_t thread_count() const override { return life_.machine.options.executor_threads; }
  env::Waker& start(env::Runnable& runnable, env::Placement placement) override;

  // Those that have not returned kDone, in order of start.
  std::vector<std::string> unfinished() const;

 private:
  struct Thread;
  class Task;

  void post_ready(Task& task, Instant at);
  void become_ready(Task& task);
  void schedule(Thread& thread);
  void run(Thread& thread);
  Task* choose(Thread& thread);
  void step(Thread& thread, Task& task);
  void finish(Thread& thread, Task& task);
  void settle(Thread& thread, Task& task);
  Duration draw_cost();

  Life& life_;
  Random random_;
  std::vector<std::unique_ptr<Thread>> threads_;  // The shared ones first.
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace weir::sim
