#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::task {

// What a watchdog looks at.
//
//   Thread  any
class WatchedTasks {
 public:
  virtual ~WatchedTasks() = default;

  struct Pulse {
    std::uint64_t moves = 0;  // the sum of all Subtasks' moves
    bool has_work = false;    // some channel holds something
    bool is_busy =
        false;  // some Subtask waits for I/O or for the outside, or is in the middle of a step
  };
  virtual Pulse pulse() const = 0;
  // One line per Subtask, with what it waits for.
  virtual std::vector<std::string> describe() const = 0;
};

}  // namespace weir::task
