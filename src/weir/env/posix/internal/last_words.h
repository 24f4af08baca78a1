#pragma once

#include <new>
#include <string_view>

namespace weir::env {

// Says on standard error that the system refused memory to this thread of Weir's, and ends the
// process with status 1. Needs no memory itself.
[[noreturn]] void end_without_memory(std::string_view thread);

// Runs what a thread of Weir's has to do. Memory that is refused there ends the process: nobody up
// the stack could go on, and the newest checkpoint can. Any other exception is our bug, and is not
// caught, so that a core shows where it came from.
template <class Call>
auto unless_without_memory(std::string_view thread, Call&& call) {
  try {
    return call();
  } catch (const std::bad_array_new_length&) {  // A size that is no size: our bug as well.
    throw;
  } catch (const std::bad_alloc&) {
    end_without_memory(thread);
  }
}

}  // namespace weir::env
