#include "weir/env/posix/internal/last_words.h"

#include <sys/uio.h>
#include <unistd.h>

#include <iterator>

namespace weir::env {

void end_without_memory(std::string_view thread) {
  constexpr std::string_view kBefore = "weir: the system refused memory to thread ";
  constexpr std::string_view kAfter =
      ", which ends the process. Give it more (ulimit -v, the limit of its container), or the job "
      "less to keep at a time; the same command resumes a job that takes checkpoints\n";
  const auto part = [](std::string_view text) {
    return iovec{const_cast<char*>(text.data()), text.size()};
  };
  const iovec parts[] = {part(kBefore), part(thread), part(kAfter)};
  const ssize_t written = writev(STDERR_FILENO, parts, std::size(parts));
  static_cast<void>(written);  // Nobody is left to be told.
  _exit(1);
}

}  // namespace weir::env
