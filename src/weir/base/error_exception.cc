#include "weir/base/error_exception.h"

#include <new>

namespace weir {
namespace {

// May throw std::bad_alloc itself: it puts words together.
Error described(std::string_view whose) {
  const auto threw = [&] { return std::string(whose) + " threw"; };
  try {
    throw;
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const std::bad_array_new_length& e) {  // A size that is no size: no limit would help.
    return {Code::kFailed, threw() + ": " + e.what()};
  } catch (const std::bad_alloc&) {
    return {Code::kExhausted,
            "the system refused memory (std::bad_alloc). Give the process more (ulimit -v, the "
            "limit of its container), or the job less to keep at a time"};
  } catch (const std::exception& e) {
    return {Code::kFailed, threw() + ": " + e.what()};
  } catch (...) {
    return {Code::kFailed, threw() + " something that is no std::exception"};
  }
}

}  // namespace

Error caught_error(std::string_view whose) {
  try {
    return described(whose);
  } catch (...) {
    return {Code::kExhausted, "no memory left"};  // Short enough to need none.
  }
}

}  // namespace weir
