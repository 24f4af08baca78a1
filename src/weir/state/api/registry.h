#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "weir/state/api/keyed_backend.h"

namespace weir::state {

// The state backends that there are, each under the name by which a job asks for it. The folders of this street add
// theirs in their plugin.h; the composer has them do so by register_plugins().
//
//   Errors  make(): kInvalid where nobody has that name; it says which names there are
//   Thread  one
class Registry {
 public:
  using Make = std::unique_ptr<StateBackend> (*)();

  // A name is added once.
  void add(std::string name, Make maker);
  Result<std::unique_ptr<StateBackend>> make(std::string_view name) const;

 private:
  std::map<std::string, Make, std::less<>> backends_;
};

}  // namespace weir::state
