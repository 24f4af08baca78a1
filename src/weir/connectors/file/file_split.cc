#include "weir/connectors/file/file_split.h"

#include "weir/types/serializer.h"

namespace weir::connectors {

Result<FileSplit> file_split_from(ByteView bytes) {
  WEIR_ASSIGN(auto split, deserialize<FileSplit>(bytes));
  if (split.begin <= split.next && split.next < split.end && split.end <= split.file.size)
    return split;
  return Error{Code::kCorrupt,
               "restoring a split of " + split.path + ": it says bytes " +
                   std::to_string(split.begin) + " to " + std::to_string(split.end) + " of " +
                   std::to_string(split.file.size) + ", read up to " + std::to_string(split.next)};
}

}  // namespace weir::connectors
