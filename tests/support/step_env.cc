#include "tests/support/step_env.h"

#include "weir/base/check.h"

namespace weir::test {

template <class Do>
bool StepEnv::run_first(std::deque<Do>& queue) {
  if (queue.empty()) return false;
  auto first = std::move(queue.front());
  queue.pop_front();
  first();
  return true;
}
template bool StepEnv::run_first(std::deque<Work>& queue);
template bool StepEnv::run_first(std::deque<std::function<void()>>& queue);

env::Waker& StepEnv::start(env::Runnable&, env::Placement) {
  check_failed("a StepEnv runs nothing", "", __FILE__, __LINE__);
}

Status StepEnv::write(std::string_view lines) {
  if (is_console_broken_)
    return Error{Code::kUnavailable, "write to the console: a fault of the test"};
  printed_ += lines;
  return ok();
}

}  // namespace weir::test
