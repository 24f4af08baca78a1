#include "weir/base/error_exception.h"

#include <new>

namespace weir {

Error caught_error(std::string_view whose) {
  const auto threw = std::string(whose) + " threw";
  try {
    throw;
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const std::bad_array_new_length& e) {  // A size that is no size: no limit would help.
    return {Code::kFailed, threw + ": " + e.what()};
  } catch (const std::bad_alloc&) {
    return {Code::kExhausted,
            "the system refused memory (std::bad_alloc). Give the process more (ulimit -v, the "
            "limit of its container), or the job less to keep at a time"};
  } catch (const std::exception& e) {
    return {Code::kFailed, threw + ": " + e.what()};
  } catch (...) {
    return {Code::kFailed, threw + " something that is no std::exception"};
  }
}

}  // namespace weir
