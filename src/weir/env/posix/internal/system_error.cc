#include "weir/env/posix/internal/system_error.h"

#include <system_error>

#include "weir/env/posix/host.h"

namespace weir::env {
namespace {

Code code_of(int number) {
  switch (number) {
    case ENOENT:
      return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
    case EEXIST:
    case ENOTEMPTY:
      return Code::kRefused;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMLINK:
    case EMFILE:
    case ENFILE:
      return Code::kExhausted;
    case ENOTDIR:
    case EISDIR:
    case ENXIO:  // open() of a socket, or of a device that is not there
    case EXDEV:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
      return Code::kInvalid;
    default:
      return Code::kUnavailable;
  }
}

std::string advice_on(int number) {
  switch (number) {
    case EMFILE:
      return "; this process may have " + std::to_string(open_files_max()) +
             " files open: raise the limit with `ulimit -n`, or lower the parallelism";
    case EACCES:
    case EPERM:
      return "; this user may not: let it, or name another place";
    case EROFS:
      return "; nothing can be written there: name another place";
    case EISDIR:
    case ENOTDIR:
      return "; something else is in its place: remove it, or name another place";
    case EFBIG:
      return "; this process may write, or the filesystem takes, no larger file: raise the limit "
             "with `ulimit -f`";
    case ENFILE:
      return "; the limit of the whole machine is reached: raise it with `sysctl fs.file-max`";
    default:
      return "";
  }
}

}  // namespace

Error system_error(std::string_view call, const std::string& path, int number) {
  return {code_of(number), std::string(call) + " " + path + ": " +
                               std::generic_category().message(number) + advice_on(number)};
}

}  // namespace weir::env
