#pragma once

#include <string>
#include <string_view>

#include "weir/base/result.h"

namespace weir {

// Every byte that `keep` does not keep becomes %XX, two upper-case hexadecimal digits. `keep` must
// not keep '%'.
//
//   Source  RFC 3986, section 2.1
std::string percent_encode(std::string_view text, bool (*keep)(char));

// The inverse, whatever was kept.
//
//   Errors  kInvalid where a '%' is not followed by two hexadecimal digits
Result<std::string> percent_decode(std::string_view text);

// A name that people chose, such as a job's, as the name of one file or directory: letters, digits,
// '-', '_' and '.' stay, except a '.' at the beginning. Different names give different file names.
//
//   Errors  kInvalid for an empty name and for one that is longer than kFileNameMax when encoded
Result<std::string> file_name_of(std::string_view name);

// What Linux filesystems allow, in bytes.
inline constexpr std::size_t kFileNameMax = 255;

}  // namespace weir
