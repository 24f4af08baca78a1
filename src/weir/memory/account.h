#pragma once

#include <cstdint>
#include <string>

#include "weir/base/result.h"

namespace weir::memory {

// Counts the bytes that one owner holds, against a limit with a name, so that a job that outgrows
// its memory ends in an error that says which option to raise.
//
//   Units   bytes as asked for; what an allocator adds is estimated by whoever charges
//   Errors  kExhausted, naming owner and limit
//   Thread  the owner's
class Account {
 public:
  // `owner` is what people call it, "operator sum[1]"; `limit_name` the option,
  // "state.heap_bytes_max".
  Account(std::string owner, std::string limit_name, std::uint64_t limit_bytes);
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // All or nothing: before memory is taken.
  Status charge(std::uint64_t bytes);
  void release(std::uint64_t bytes);
  // For memory that has been taken or given back already, inside a user's value: always counted.
  // Where that went over the limit, is_over_limit() says so afterwards.
  void adjust(std::int64_t bytes);

  bool is_over_limit() const { return used_ > limit_; }
  // The error of an owner that holds or wants `wanted_bytes` more than it has.
  Error limit_error(std::uint64_t wanted_bytes) const;

  std::uint64_t used_bytes() const { return used_; }
  std::uint64_t limit_bytes() const { return limit_; }

 private:
  const std::string owner_;
  const std::string limit_name_;
  const std::uint64_t limit_;
  std::uint64_t used_ = 0;
};

}  // namespace weir::memory
