#include "weir/types/readable.h"

namespace weir::readable {

void append_quoted(std::string& to, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (c == '\n') {
      to += "\\n";
    } else if (c == '\r') {
      to += "\\r";
    } else if (c == '\t') {
      to += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      to += "\\u00";
      to += kHex[byte >> 4];
      to += kHex[byte & 15];
    } else {
      to += c;
    }
  }
  to += '"';
}

}  // namespace weir::readable
