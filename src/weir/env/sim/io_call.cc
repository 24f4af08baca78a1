#include "weir/env/sim/io_call.h"

namespace weir::sim {

std::string_view name_of(IoKind kind) {
  switch (kind) {
    case IoKind::kOpen:
      return "open";
    case IoKind::kRead:
      return "read";
    case IoKind::kInfo:
      return "info";
    case IoKind::kList:
      return "list";
    case IoKind::kLock:
      return "lock";
    case IoKind::kCreate:
      return "create";
    case IoKind::kAppend:
      return "append";
    case IoKind::kSync:
      return "sync";
    case IoKind::kClose:
      return "close";
    case IoKind::kRename:
      return "rename";
    case IoKind::kLink:
      return "link";
    case IoKind::kRemove:
      return "remove";
    case IoKind::kMakeDirectory:
      return "make directory";
    case IoKind::kRemoveDirectory:
      return "remove directory";
    case IoKind::kSyncDirectory:
      return "sync directory";
  }
  return "?";
}

bool changes_the_disk(IoKind kind) { return kind >= IoKind::kLock && kind != IoKind::kClose; }

}  // namespace weir::sim
