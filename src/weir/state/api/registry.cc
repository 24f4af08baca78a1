#include "weir/state/api/registry.h"

#include "weir/base/check.h"

namespace weir::state {

void Registry::add(std::string name, Make maker) {
  const bool is_new = backends_.emplace(std::move(name), maker).second;
  WEIR_CHECK(is_new);
}

Result<std::unique_ptr<StateBackend>> Registry::make(std::string_view name) const {
  const auto found = backends_.find(name);
  if (found != backends_.end()) return found->second();
  auto what = "there is no state backend '" + std::string(name) + "'; there is";
  for (const char* separator = " "; const auto& [known, maker] : backends_) {
    what += separator + known;
    separator = ", ";
  }
  return Error{Code::kInvalid, what};
}

}  // namespace weir::state
