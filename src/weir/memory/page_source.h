#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace weir::memory {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// Where large pieces of memory come from.
//
// The first touch of a fresh 4 KiB page costs this class of machine 20 us, of a huge page a tenth
// of that per byte; so an implementation that can should back pieces of kHugePageBytes and more by
// huge pages.
//
//   Shape   pieces are aligned to 64 bytes; those of kHugePageBytes and more to kHugePageBytes.
//           What they hold at first is not said
//   Thread  any
class PageSource {
 public:
  virtual ~PageSource() = default;
  // nullptr where the machine has no more.
  virtual void* take(std::size_t bytes) noexcept = 0;
  virtual void give_back(void* pages, std::size_t bytes) noexcept = 0;
};

// From the language's own heap.
class HeapPages final : public PageSource {
 public:
  void* take(std::size_t bytes) noexcept override;
  void give_back(void* pages, std::size_t bytes) noexcept override;
};

// A piece of a PageSource with one owner.
class Pages {
 public:
  Pages() = default;
  // Empty where the source has no more.
  Pages(PageSource& source, std::size_t bytes)
      : source_(&source), at_(source.take(bytes)), bytes_(at_ == nullptr ? 0 : bytes) {}
  Pages(Pages&& other) noexcept
      : source_(other.source_),
        at_(std::exchange(other.at_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(source_, other.source_);
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Pages() {
    if (at_ != nullptr) source_->give_back(at_, bytes_);
  }

  explicit operator bool() const { return at_ != nullptr; }
  void* data() const { return at_; }
  std::size_t size() const { return bytes_; }

 private:
  PageSource* source_ = nullptr;
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace weir::memory
