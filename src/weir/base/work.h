#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace weir {

// Something to be done once, by whoever it is handed to: a closure that is moved and never copied. Up to four pointers
// and whatever owns something fit without an allocation, so that handing over work costs none.
//
//   Shape   empty, or a closure; calling an empty one is not allowed
//   Errors  what the closure throws passes through
//   Thread  one owner at a time
template <std::size_t inline_bytes>
class BasicWork {
 public:
  BasicWork() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, BasicWork> && std::invocable<F&>)
      BasicWork(F closure) {  // NOLINT(google-explicit-constructor): as std::function
    if constexpr (fits<F>) {
      new (place_) F(std::move(closure));
      kind_ = &kInPlace<F>;
    } else {
      new (place_) F*(new F(std::move(closure)));
      kind_ = &kElsewhere<F>;
    }
  }
  BasicWork(BasicWork&& other) noexcept { take(other); }
  BasicWork& operator=(BasicWork&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  BasicWork& operator=(std::nullptr_t) noexcept {
    drop();
    return *this;
  }
  BasicWork(const BasicWork&) = delete;
  BasicWork& operator=(const BasicWork&) = delete;
  ~BasicWork() { drop(); }

  explicit operator bool() const { return kind_ != nullptr; }
  void operator()() { kind_->run(place_); }

 private:
  struct Kind {
    void (*run)(void* place);
    void (*move)(void* from, void* to);  // and ends what was there
    void (*drop)(void* place);
  };
  template <class F>
  static constexpr bool fits =
      sizeof(F) <= inline_bytes &&
      alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;
  template <class F>
  static constexpr Kind kInPlace{.run = [](void* place) { (*static_cast<F*>(place))(); },
                                 .move =
                                     [](void* from, void* to) {
                                       auto& closure = *static_cast<F*>(from);
                                       new (to) F(std::move(closure));
                                       closure.~F();
                                     },
                                 .drop = [](void* place) { static_cast<F*>(place)->~F(); }};
  template <class F>
  static constexpr Kind kElsewhere{
      .run = [](void* place) { (**static_cast<F**>(place))(); },
      .move = [](void* from, void* to) { new (to) F*(*static_cast<F**>(from)); },
      .drop = [](void* place) { delete *static_cast<F**>(place); }};

  void take(BasicWork& other) {
    kind_ = std::exchange(other.kind_, nullptr);
    if (kind_) kind_->move(other.place_, place_);
  }
  void drop() {
    if (const auto* kind = std::exchange(kind_, nullptr)) kind->drop(place_);
  }

  alignas(std::max_align_t) std::byte place_[inline_bytes];
  const Kind* kind_ = nullptr;
};

using Work = BasicWork<4 * sizeof(void*)>;

}  // namespace weir
