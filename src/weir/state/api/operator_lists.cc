#include "weir/state/api/operator_lists.h"

#include <algorithm>

#include "weir/state/api/keyed_backend.h"

namespace weir::state {

Status OperatorLists::declare(AnyListState& list) {
  const auto attempt = "restoring list state " + list.name();
  const auto is_namesake = [&](const auto* other) { return other->name() == list.name(); };
  if (std::any_of(declared_.begin(), declared_.end(), is_namesake))
    return Error{Code::kInvalid, "declaring list state " + list.name() + ": there is one already"};
  declared_.push_back(&list);
  const auto saved = restored_.lists().find(list.name());
  if (saved == restored_.lists().end()) return ok();
  // What is handed over is not kept twice.
  const auto [schema, elements] = restored_.take(list.name());
  if (auto fits = schemas_are_compatible(schema, schema_bytes(list.schema())); !fits)
    return fits.error().during(attempt);
  if (auto restored = list.restore(elements); !restored) return restored.error().during(attempt);
  return ok();
}

Status OperatorLists::check_all_declared() const {
  for (const auto& [name, saved] : restored_.lists()) {
    const auto is_it = [&name = name](const auto* list) { return list->name() == name; };
    if (std::none_of(declared_.begin(), declared_.end(), is_it))
      return Error{Code::kInvalid, "restoring list state " + name +
                                       ": the checkpoint has it, the job does not declare it"};
  }
  return ok();
}

OperatorListState OperatorLists::capture() const {
  OperatorListState lists;
  for (const auto* list : declared_) {
    auto elements = list->capture();
    if (!elements.empty())
      lists.put(list->name(), {schema_bytes(list->schema()), std::move(elements)});
  }
  return lists;
}

}  // namespace weir::state
