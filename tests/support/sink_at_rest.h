#pragma once

#include <string>
#include <vector>

namespace weir::test {

// What is hidden in a file sink's directory when its job is over, in order.
inline const std::vector<std::string> kAtRest = {".weir-sink", ".weir-sink-lock"};

}  // namespace weir::test
