#include "weir/types/writers.h"

#include <stdexcept>
#include <string>

namespace weir::internal {

void throw_too_deep(std::string_view type) {
  throw std::length_error("serialising " + std::string(type) + ": records are nested deeper than " +
                          std::to_string(kMaxNesting));
}

void throw_too_many_empty(std::string_view type, std::size_t count) {
  throw std::length_error("serialising a list of " + std::string(type) + ": it has " +
                          std::to_string(count) + " elements of no bytes, more than allowed");
}

}  // namespace weir::internal
