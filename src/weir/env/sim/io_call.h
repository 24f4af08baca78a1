#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/id.h"
#include "weir/base/result.h"

namespace weir::sim {

// A Process of a World, in order of creation from 1 on; 0 is the World itself.
using ProcessId = Id<struct ProcessMeaning, std::uint32_t>;

enum class IoKind : unsigned char {
  kOpen,
  kRead,
  kInfo,
  kList,
  kLock,
  kCreate,
  kAppend,
  kSync,
  kClose,
  kRename,
  kLink,
  kRemove,
  kMakeDirectory,
  kRemoveDirectory,
  kSyncDirectory,
};

std::string_view name_of(IoKind kind);
// Whether a crash before and one after such a call may leave different disks.
bool changes_the_disk(IoKind kind);

// One file call of a Process.
struct IoCall {
  std::uint64_t number = 0;  // In the World, from 1 on.
  ProcessId process;
  IoKind kind;
  std::string path;
  std::string to = {};  // Of a rename and a link.
  std::uint64_t bytes = 0;
  // After it: what it came to.
  std::optional<Code> failure = {};
};

}  // namespace weir::sim
