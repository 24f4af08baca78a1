#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "weir/base/result.h"

namespace weir {

// What became of something that was to be made durable. An error alone does not say: a reply can be
// lost after the deed is done.
enum class Fate : std::uint8_t {
  kDurable,     // it is there and survives a crash
  kAbsent,      // it is not there and will not come: what was there before still holds
  kUnknown,     // one or the other: read back
  kSyncFailed,  // a sync failed: reading back would only show the page cache
};

// "durable", "absent", "unknown", "sync failed".
constexpr std::string_view fate_name(Fate fate) {
  switch (fate) {
    case Fate::kDurable:
      return "durable";
    case Fate::kAbsent:
      return "absent";
    case Fate::kUnknown:
      return "unknown";
    case Fate::kSyncFailed:
      return "sync failed";
  }
  return "unknown";
}

// The fate of a write, and the reason where it is not durable.
//
//   Shape   a reason with every fate but kDurable
//   Thread  a value: one at a time
class [[nodiscard]] Written {
 public:
  static Written durable() { return {Fate::kDurable, std::nullopt}; }
  static Written absent(Error why) { return {Fate::kAbsent, std::move(why)}; }
  static Written unknown(Error why) { return {Fate::kUnknown, std::move(why)}; }
  static Written sync_failed(Error why) { return {Fate::kSyncFailed, std::move(why)}; }

  explicit operator bool() const { return fate_ == Fate::kDurable; }
  Fate fate() const { return fate_; }
  // Only where it is not durable.
  const Error& error() const {
    WEIR_CHECK(why_.has_value());
    return *why_;
  }
  // The same fate with the attempt in front of the reason.
  [[nodiscard]] Written during(std::string_view attempt) const {
    return {fate_, why_ ? std::optional(why_->during(attempt)) : std::nullopt};
  }

  friend bool operator==(const Written&, const Written&) = default;

 private:
  Written(Fate fate, std::optional<Error> why) : fate_(fate), why_(std::move(why)) {}

  Fate fate_;
  std::optional<Error> why_;
};

}  // namespace weir
