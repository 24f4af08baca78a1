#include "weir/connectors/api/run_input.h"

#include "weir/base/log.h"

namespace weir::connectors {

Status RunInput::open(operators::OperatorContext& context) {
  WEIR_TRY(context.lists.declare(kept_));
  if (kept_.is_empty()) {
    if (!context.restored && !given_.empty()) kept_.add(given_);
    return ok();
  }
  kept_.update({std::string(kept_.get().front())});  // At a lower parallelism there are several.
  const auto& kept = kept_.get().front();
  if (given_.empty() || given_ == kept || told_->exchange(true)) return ok();
  log::Event(log::Level::kWarning, "AnotherInputIgnored")
      .field("source", context.name)
      .field("reads", kept)
      .field("ignored", given_)
      .field("advice",
             "a run that goes on reads what it began with; --restart begins anew with the other");
  return ok();
}

}  // namespace weir::connectors
