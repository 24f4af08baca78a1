#pragma once

#include <stdexcept>
#include <string>

namespace weir {

// The program describes an impossible job. Thrown where the description is made, since a fluent
// chain has no room for a return value; the text names the operator.
class JobDefinitionError final : public std::invalid_argument {
 public:
  explicit JobDefinitionError(const std::string& what) : std::invalid_argument(what) {}
};

}  // namespace weir
