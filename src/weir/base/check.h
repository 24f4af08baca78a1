#pragma once

namespace weir {

// Prints the condition that did not hold, with its place, and aborts the process. The JobManager
// restores the last checkpoint: an abort is the recovery path that is tested most.
[[noreturn]] void check_failed(const char* condition, const char* detail, const char* file,
                               int line);

}  // namespace weir

// Our own bug, if it does not hold. On in release; for control-plane and once-per-batch code.
#define WEIR_CHECK(condition)                          \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::weir::check_failed(#condition, "", __FILE__, __LINE__))

// The same inside per-record loops: off in release.
#ifdef NDEBUG
#define WEIR_DCHECK(condition) static_cast<void>(0)
#else
#define WEIR_DCHECK(condition) WEIR_CHECK(condition)
#endif
