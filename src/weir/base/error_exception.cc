#include "weir/base/error_exception.h"

namespace weir {

Error caught_error(std::string_view whose) {
  const auto threw = std::string(whose) + " threw";
  try {
    throw;
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const std::exception& e) {
    return {Code::kFailed, threw + ": " + e.what()};
  } catch (...) {
    return {Code::kFailed, threw + " something that is no std::exception"};
  }
}

}  // namespace weir
