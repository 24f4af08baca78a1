#include "weir/base/result.h"

namespace weir {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kInvalid:
      return "invalid";
    case Code::kNotFound:
      return "not found";
    case Code::kRefused:
      return "refused";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kTimeout:
      return "timeout";
    case Code::kExhausted:
      return "exhausted";
    case Code::kCorrupt:
      return "corrupt";
    case Code::kCancelled:
      return "cancelled";
    case Code::kFailed:
      return "failed";
  }
  return "unknown";
}

Error Error::during(std::string_view attempt) const {
  return {code, std::string(attempt) + ": " + what};
}

std::string Error::to_string() const { return std::string(code_name(code)) + ": " + what; }

}  // namespace weir
