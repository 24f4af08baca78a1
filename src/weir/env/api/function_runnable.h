#pragma once

#include <functional>
#include <string>
#include <utility>

#include "weir/env/api/executor.h"

namespace weir::env {

// A Runnable whose step is a function: for tests, and for what is said in a line.
//
//   Thread  step() on the executor's, as of every Runnable
class FunctionRunnable final : public Runnable {
 public:
  explicit FunctionRunnable(std::function<StepResult()> step, std::string name = "steps")
      : step_(std::move(step)), name_(std::move(name)) {}

  StepResult step() override { return step_(); }
  std::string name() const override { return name_; }

 private:
  std::function<StepResult()> step_;
  std::string name_;
};

}  // namespace weir::env
