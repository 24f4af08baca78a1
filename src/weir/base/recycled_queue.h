#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <boost/circular_buffer.hpp>

namespace weir {

// A queue that keeps its memory: one that fills and empties steadily allocates nothing.
//
//   Thread  one at a time
template <class T>
class RecycledQueue {
 public:
  void push(T item) {
    if (items_.full()) items_.set_capacity(std::max<std::size_t>(8, items_.capacity() * 2));
    items_.push_back(std::move(item));
  }
  T pop() {
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }
  bool is_empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  void clear() { items_.clear(); }
  void swap(RecycledQueue& other) { items_.swap(other.items_); }

 private:
  boost::circular_buffer<T> items_;
};

}  // namespace weir
