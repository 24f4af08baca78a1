#include "weir/base/percent_encoding.h"

namespace weir {
namespace {

bool stays_in_file_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

void append_escaped(std::string& out, char c) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string percent_encode(std::string_view text, bool (*keep)(char)) {
  WEIR_CHECK(!keep('%'));
  std::string out;
  for (const char c : text) {
    if (keep(c))
      out += c;
    else
      append_escaped(out, c);
  }
  return out;
}

Result<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 1 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return Error{Code::kInvalid, "decoding '" + std::string(text) +
                                       "': want two hexadecimal digits after the % at " +
                                       std::to_string(i)};
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return out;
}

Result<std::string> file_name_of(std::string_view name) {
  if (name.empty()) return Error{Code::kInvalid, "making a file name of a name: it is empty"};
  std::string out = percent_encode(name, stays_in_file_name);
  // "." and ".." mean something else, and what begins with a dot is hidden from people.
  if (out[0] == '.') out.replace(0, 1, "%2E");
  if (out.size() > kFileNameMax)
    return Error{Code::kInvalid, "making a file name of '" + std::string(name.substr(0, 40)) +
                                     "...': it has " + std::to_string(name.size()) + " bytes, " +
                                     std::to_string(out.size()) +
                                     " with its special characters encoded, more than the " +
                                     std::to_string(kFileNameMax) + " of a file name"};
  return out;
}

}  // namespace weir
