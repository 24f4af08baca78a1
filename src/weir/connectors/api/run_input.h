#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "weir/operators/api/operator_context.h"
#include "weir/state/api/list_state.h"

namespace weir::connectors {

// What a run reads, remembered in the state of its readers. A run that is resumed goes on with what it began with, whatever
// its program is told by then; where that is another input, it is said once in a process, by whichever reader sees it first.
//
//   Thread  open() on the I/O pool, by every reader
class RunInput {
 public:
  // Shared by all readers of one source in this process.
  using Told = std::shared_ptr<std::atomic<bool>>;
  static Told nobody_was_told() { return std::make_shared<std::atomic<bool>>(false); }

  // `given`: Source::input().
  RunInput(std::string given, Told told) : given_(std::move(given)), told_(std::move(told)) {}

  Status open(operators::OperatorContext& context);

 private:
  const std::string given_;
  const Told told_;
  // Once, but for a source that says nothing and a reader that found nothing at another parallelism.
  state::ListState<std::string> kept_{"input"};
};

}  // namespace weir::connectors
