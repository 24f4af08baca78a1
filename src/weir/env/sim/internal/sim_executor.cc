#include "weir/env/sim/internal/sim_executor.h"

#include <algorithm>

#include "weir/base/check.h"

namespace weir::sim {

using env::StepResult;

struct SimExecutor::Thread {
  std::uint32_t number;
  bool is_own;
  Instant busy_until{};
  bool is_scheduled = false;  // An event will call run().
  bool is_stepping = false;
  std::vector<Task*> tasks = {};  // Not done.
};

class SimExecutor::Task final : public env::Waker {
 public:
  Task(SimExecutor& executor, Thread& on, std::uint32_t count, env::Runnable& what)
      : number(count), name(what.name()), thread(on), executor_(executor), runnable_(&what) {}

  enum class State : unsigned char { kBlocked, kReady, kStepping, kDone };

  void step() { result = runnable_->step(); }
  using Waker::is_ready;
  using Waker::take;

  const std::uint32_t number;
  const std::string name;
  Thread& thread;
  State state = State::kBlocked;
  bool was_woken = false;        // During the step in progress.
  std::uint64_t step_count = 0;  // Tells the timer of this wait from that of an earlier one.
  StepResult result;             // Of the last step.

 private:
  void became_ready() override {
    if (executor_.life_.is_cut || state == State::kDone) return;
    const auto delay = draw(executor_.life_.machine.options.wake_delay, executor_.random_);
    executor_.life_.machine.trace.record("wake", name, number);
    executor_.post_ready(*this, executor_.life_.machine.loop.now() + delay);
  }

  SimExecutor& executor_;
  env::Runnable* runnable_;
};

SimExecutor::SimExecutor(Life& life, Random random) : life_(life), random_(random) {
  for (std::uint32_t i = 0; i != thread_count(); ++i)
    threads_.push_back(std::make_unique<Thread>(Thread{.number = i, .is_own = false}));
}

SimExecutor::~SimExecutor() = default;

env::Waker& SimExecutor::start(env::Runnable& runnable, env::Placement placement) {
  Thread* thread = nullptr;
  if (placement.is_own) {
    threads_.push_back(std::make_unique<Thread>(
        Thread{.number = static_cast<std::uint32_t>(threads_.size()), .is_own = true}));
    thread = threads_.back().get();
  } else {
    WEIR_CHECK(placement.thread < thread_count());
    thread = threads_[placement.thread].get();
  }
  const auto number = static_cast<std::uint32_t>(tasks_.size());
  tasks_.push_back(std::make_unique<Task>(*this, *thread, number, runnable));
  Task& task = *tasks_.back();
  if (life_.is_cut) return task;  // Nothing is stepped any more.
  thread->tasks.push_back(&task);
  life_.machine.trace.record("start", task.name, number, thread->number);
  const auto delay = draw(life_.machine.options.wake_delay, random_);
  post_ready(task, life_.machine.loop.now() + delay);
  return task;
}

std::vector<std::string> SimExecutor::unfinished() const {
  std::vector<std::string> names;
  for (const auto& task : tasks_)
    if (task->state != Task::State::kDone) names.push_back(task->name);
  return names;
}

void SimExecutor::post_ready(Task& task, Instant at) {
  life_.machine.loop.post(life_.id, at, [this, &task] { become_ready(task); });
}

void SimExecutor::become_ready(Task& task) {
  switch (task.state) {
    case Task::State::kBlocked:
      task.state = Task::State::kReady;
      return schedule(task.thread);
    case Task::State::kStepping:
      task.was_woken = true;
      return;
    case Task::State::kReady:
    case Task::State::kDone:
      return;
  }
}

void SimExecutor::schedule(Thread& thread) {
  if (thread.is_scheduled || thread.is_stepping) return;
  const bool has_ready =
      std::any_of(thread.tasks.begin(), thread.tasks.end(),
                  [](const Task* task) { return task->state == Task::State::kReady; });
  if (!has_ready) return;
  thread.is_scheduled = true;
  const Instant at = std::max(thread.busy_until, life_.machine.loop.now());
  life_.machine.loop.post(life_.id, at, [this, &thread] { run(thread); });
}

void SimExecutor::run(Thread& thread) {
  thread.is_scheduled = false;
  Task* task = choose(thread);
  WEIR_CHECK(task);  // Nothing but a step takes away that one was ready.
  life_.machine.trace.record("step", task->name, task->number, thread.number);
  step(thread, *task);
}

// One of the ready ones; now and then anyone, as a real executor steps in vain at times.
SimExecutor::Task* SimExecutor::choose(Thread& thread) {
  std::vector<Task*> candidates = thread.tasks;
  if (!random_.one_in(life_.machine.options.spurious_step_one_in))
    std::erase_if(candidates, [](const Task* task) { return task->state != Task::State::kReady; });
  if (candidates.empty()) return nullptr;
  Task* chosen = candidates[random_.below(candidates.size())];
  if (chosen->state != Task::State::kReady) life_.machine.report(Fault::kSpuriousStep);
  return chosen;
}

void SimExecutor::step(Thread& thread, Task& task) {
  thread.is_stepping = true;
  task.state = Task::State::kStepping;
  task.was_woken = false;
  ++task.step_count;
  task.take();
  if (thread.is_own) {
    life_.machine.loop.run_on_fiber(
        life_.id, [&task] { task.step(); }, [this, &thread, &task] { finish(thread, task); });
  } else {
    task.step();
    finish(thread, task);
  }
}

void SimExecutor::finish(Thread& thread, Task& task) {
  thread.is_stepping = false;
  if (life_.is_cut) return;
  const Duration cost = draw_cost() + life_.machine.loop.take_debt();
  thread.busy_until = life_.machine.loop.now() + cost;
  settle(thread, task);
  schedule(thread);
}

// What the step's result makes of the task.
void SimExecutor::settle(Thread& thread, Task& task) {
  switch (task.result.kind) {
    case StepResult::Kind::kReady:
      task.state = Task::State::kReady;
      return;
    case StepResult::Kind::kDone:
      life_.machine.trace.record("done", task.name, task.number);
      task.state = Task::State::kDone;
      std::erase(thread.tasks, &task);
      return;
    case StepResult::Kind::kBlocked:
      break;
  }
  task.state = task.was_woken ? Task::State::kReady : Task::State::kBlocked;
  if (task.was_woken || task.result.wake_at == Instant::never()) return;
  const auto delay = draw(life_.machine.options.wake_delay, random_);
  const Instant at = std::max(task.result.wake_at, thread.busy_until) + delay;
  life_.machine.loop.post(life_.id, at, [this, &task, wait = task.step_count] {
    if (task.step_count == wait) become_ready(task);
  });
}

Duration SimExecutor::draw_cost() {
  const SimOptions& options = life_.machine.options;
  const Duration cost = draw(options.step_cost, random_);
  if (!random_.one_in(options.stall_one_in)) return cost;
  life_.machine.report(Fault::kStall);
  return cost + draw(options.stall, random_);
}

}  // namespace weir::sim
