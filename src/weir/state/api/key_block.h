#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::state {

// How many keys a table is asked for at once: enough to hide cache misses behind each other, few
// enough to stay in the first cache level.
inline constexpr std::uint32_t kKeyBlock = 64;

// Up to kKeyBlock keys, as canonical serialised bytes, with their key hashes (types/key_hash.h).
//
//   Shape   keys of a fixed size lie one after the other in `fixed`; others are views in
//           `variable`. The namespaces, each of the table's fixed size, lie one after the other,
//           null where that size is 0. The same key may occur more than once
struct KeyBlock {
  std::uint32_t count = 0;
  const std::uint64_t* hashes = nullptr;
  const std::byte* fixed = nullptr;
  const std::string_view* variable = nullptr;
  const std::byte* namespaces = nullptr;
};

}  // namespace weir::state
