#include "weir/memory/account.h"

#include <algorithm>

namespace weir::memory {

Account::Account(std::string owner, std::string limit_name, std::uint64_t limit_bytes)
    : owner_(std::move(owner)), limit_name_(std::move(limit_name)), limit_(limit_bytes) {}

Status Account::charge(std::uint64_t bytes) {
  if (used_ > limit_ || bytes > limit_ - used_) return limit_error(bytes);
  used_ += bytes;
  return ok();
}

void Account::release(std::uint64_t bytes) {
  WEIR_CHECK(bytes <= used_);
  used_ -= bytes;
}

void Account::adjust(std::int64_t bytes) {
  if (bytes < 0) return release(static_cast<std::uint64_t>(-bytes));
  used_ += static_cast<std::uint64_t>(bytes);
}

Error Account::limit_error(std::uint64_t wanted_bytes) const {
  return {Code::kExhausted, "taking memory for " + owner_ + ": its limit " + limit_name_ + " of " +
                                std::to_string(limit_) + " bytes is reached, in use " +
                                std::to_string(used_) + ", wanted " + std::to_string(wanted_bytes) +
                                "; raise it, or the parallelism of the operator"};
}

}  // namespace weir::memory
