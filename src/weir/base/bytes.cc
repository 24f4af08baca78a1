#include "weir/base/bytes.h"

namespace weir {

Status ByteReader::finish(std::string_view doing, std::string_view what) const {
  if (ok() && remaining() == 0) return weir::ok();
  std::string text(doing);
  text += what;
  text += ok() ? ": bytes are left over after the value's end" : std::string(": ") + why_ + ",";
  text += " at byte " + std::to_string(position()) + " of ";
  text += std::to_string(static_cast<std::size_t>(end_ - begin_));
  return Error{Code::kCorrupt, std::move(text)};
}

}  // namespace weir
