#pragma once

#include <optional>
#include <string>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/connectors/file/part_names.h"
#include "weir/env/api/file_system.h"

namespace weir::connectors {

// Whose directory it is: one sink of one job.
//
//   Source  docs/formats/sink_parts.md
struct SinkOwner {
  JobId job;
  OperatorId sink;
  std::string sink_name;  // for people

  std::string text() const;
  static std::optional<SinkOwner> parse(std::string_view text);
  bool is_same_sink_of_job(const SinkOwner& other) const {
    return job == other.job && sink == other.sink;
  }
};

// Nothing where the directory has no owner.
//
//   Errors  kCorrupt: the file is there and says nothing that makes sense
Result<std::optional<SinkOwner>> read_owner(env::FileSystem& files, const std::string& directory);

enum class PutOwner : bool { kIfAbsent, kReplace };

// Writes the owner file under the draft's name and gives it its own, in one step and durably. With kIfAbsent somebody
// else may have been faster: read it afterwards.
Status put_owner(env::FileSystem& files, const std::string& directory, const SinkOwner& owner,
                 const OwnerDraftName& draft, PutOwner how);

}  // namespace weir::connectors
