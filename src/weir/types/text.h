#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "weir/base/check.h"

namespace weir {

// A view of bytes that somebody else keeps alive: the string of records that allocate nothing.
//
// In a batch it points into the batch's byte column; assigning it copies the pointer, not the
// bytes. For anything that lives longer than the bytes there is str(). It is serialised like a
// std::string and has the same Schema, so that a record may change from one to the other.
//
//   Shape   any bytes, not necessarily UTF-8 or without NUL; at most kMaxSize of them
//   Errors  a longer view is our bug
//   Thread  a value
class Text {
 public:
  static constexpr std::size_t kMaxSize = std::numeric_limits<std::uint32_t>::max();

  constexpr Text() = default;
  constexpr explicit Text(std::string_view view)
      : data_(view.data()), size_(static_cast<std::uint32_t>(view.size())) {
    WEIR_DCHECK(view.size() <= kMaxSize);
  }

  constexpr std::string_view view() const { return {data_, size_}; }
  // A copy that owns its bytes.
  std::string str() const { return std::string(view()); }

  constexpr const char* data() const { return data_; }
  constexpr std::uint32_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

  // By the bytes, as unsigned numbers.
  friend constexpr bool operator==(Text a, Text b) { return a.view() == b.view(); }
  friend constexpr std::strong_ordering operator<=>(Text a, Text b) {
    return a.view() <=> b.view();
  }
  friend constexpr bool operator==(Text a, std::string_view b) { return a.view() == b; }
  friend constexpr std::strong_ordering operator<=>(Text a, std::string_view b) {
    return a.view() <=> b;
  }

 private:
  const char* data_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace weir

template <>
struct std::hash<weir::Text> {
  std::size_t operator()(weir::Text text) const noexcept {
    return std::hash<std::string_view>{}(text.view());
  }
};
